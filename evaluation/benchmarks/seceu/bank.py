"""SECEU's bank from the files of an operator: items with their standards, norms of people, prompts. Pure.

The files are `items_en.json` or `items_zh.json`, `norms.json` and `prompts.json`. Texts, standards and norms belong to
the authors, so none of them is in this repository.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum

from evaluation.benchmarks.bank_files import json_file, list_of, number_of, numbers_of, object_of, text_of, within
from evaluation.benchmarks.base import Bank, BankError, Item, JsonValue
from evaluation.benchmarks.seceu.pairs import folded
from evaluation.benchmarks.seceu.scoring import TOTAL, Histogram
from evaluation.benchmarks.strict_json import JsonObject

NORMS, PROMPTS = "norms.json", "prompts.json"
ITEM_FILES = ("items_en.json", "items_zh.json")
OPTIONS = 4
ROUNDING = 0.0151
"""How far the four standards of an item may add up to something else than 10: each is rounded to two decimals."""

EDGES, PER_CENTS = "edges", "per_cents"


@dataclass(frozen=True, slots=True)
class Norms:
    """People by mean distance and by pattern similarity, each with the per cent that did worse or lies below."""

    distance: Histogram
    pattern: Histogram


def load(files: Mapping[str, bytes], n_items: int | None = None) -> Bank:
    """The bank in these files. `n_items` is how many items it must have; None takes as many as there are.

    Raises:
        BankError: a file is missing, or an item or a norm is faulty; the text names it.
    """
    templates = _templates(json_file(files, PROMPTS))
    norms = _stored_norms(json_file(files, NORMS))
    name = next((name for name in ITEM_FILES if name in files), ITEM_FILES[0])
    entries = list_of(json_file(files, name).get("items"), f"{name}: items")
    if n_items is not None and len(entries) != n_items:
        raise BankError(f"{n_items} items are expected, {name} holds {len(entries)}")
    items = tuple(_item(entry, number, templates) for number, entry in enumerate(entries, 1))
    return Bank(items, norms)


def _templates(prompts: JsonObject) -> dict[str, JsonValue]:
    """Key of a prompt -> its text with {story} and {options}."""
    strategies = within(prompts, PROMPTS, "strategies")
    places: dict[str, object] = {"direct": prompts.get("direct"), "zero_shot": strategies.get("zero_shot")}
    return {key: _template(key, place) for key, place in places.items()}


def _template(key: str, place: object) -> str:
    template = text_of(object_of(place, f"{PROMPTS}: {key}").get("template"), f"{PROMPTS}: template of {key}")
    for placeholder in ("{story}", "{options}"):
        if template.count(placeholder) != 1:
            raise BankError(f"{PROMPTS}: template of {key} has to hold {placeholder} once")
    return template


def _item(entry: object, number: int, templates: Mapping[str, JsonValue]) -> Item:
    found = object_of(entry, f"item {number}")
    place = f"item {number}"
    if str(found.get("id")) != str(number):
        raise BankError(f"{place}: items have to be numbered from 1 without a gap")
    labels = tuple(text_of(option, f"{place}: an option") for option in list_of(found.get("options"), place))
    standards = numbers_of(found.get("standard_scores"), f"{place}: standard_scores", low=0, high=TOTAL)
    if len(labels) != OPTIONS or len({folded(label) for label in labels}) != OPTIONS:
        raise BankError(f"{place}: four distinct options are expected")
    if len(standards) != OPTIONS or abs(fsum(standards) - TOTAL) > ROUNDING:
        raise BankError(f"{place}: its standard scores are not four numbers that add up to 10")
    template = number_of(found.get("human_mean_distance"), f"{place}: human_mean_distance", low=0, high=2 * TOTAL)
    return Item(
        id=str(number),
        prompt=text_of(found.get("story"), f"{place}: story"),
        labels=labels,
        reference=standards,
        extra={"human_mean_distance": template, "prompts": dict(templates)},
    )


def _stored_norms(norms: JsonObject) -> JsonValue:
    histograms = within(norms, NORMS, "histograms")
    distance = _histogram(histograms.get("score"), "bin_edges_score", "percent_of_humans_worse_at_edge")
    pattern = _histogram(histograms.get("pattern_r"), "bin_edges_r", "percent_of_humans_below_at_edge")
    return {"distance": distance, "pattern": pattern}


def _histogram(value: object, edges_key: str, per_cents_key: str) -> JsonValue:
    found = object_of(value, f"{NORMS}: histogram of {edges_key}")
    edges = numbers_of(found.get(edges_key), f"{NORMS}: {edges_key}")
    per_cents = numbers_of(found.get(per_cents_key), f"{NORMS}: {per_cents_key}", low=0, high=100)
    if len(edges) != len(per_cents) or len(edges) < 2 or not _ascending(edges):
        raise BankError(f"{NORMS}: {edges_key} and {per_cents_key} are no histogram")
    return {EDGES: list(edges), PER_CENTS: list(per_cents)}


def _ascending(values: Sequence[float]) -> bool:
    return all(left < right for left, right in pairwise(values))


def norms_of(bank: Bank) -> Norms:
    """The norms of a loaded bank. Raises BankError where the bank has none."""
    norms = bank.norms
    if not isinstance(norms, Mapping):
        raise BankError("the bank has no norms; load it again")
    return Norms(_loaded(norms.get("distance")), _loaded(norms.get("pattern")))


def _loaded(histogram: object) -> Histogram:
    if not isinstance(histogram, Mapping):
        raise BankError("the bank has no norms; load it again")
    return Histogram(tuple(histogram[EDGES]), tuple(histogram[PER_CENTS]))


def human_pattern(items: Sequence[Item]) -> list[float]:
    """Mean distance of people, an item each: the pattern that a model's distances are compared with."""
    return [number_of(item.extra.get("human_mean_distance"), f"item {item.id}") for item in items]
