"""Which pages there are, and what the card of a shared link says."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import islice

from django.apps import apps
from django.db.models import Max, Model, QuerySet
from django.urls import reverse

from evaluation.models import Access, Item, ItemBank, LanguageModel, Run
from leaderboard.kinds import banks_without_items
from leaderboard.models import Standing
from leaderboard.pages.api.public_rows import public_models, ranking_facts
from leaderboard.pages.rankings.directory import Stamp, figures_stamp, rankings_stamp
from leaderboard.pages.shared.measures import ranking_measure
from leaderboard.pages.statistics.kinds import KINDS
from leaderboard.plaintext import spelled
from leaderboard.rounding import count, counted, figure

MOST_ADDRESSES = 50_000  # what a sitemap may hold
PAGES = (
    "home", "compare", "statistics", "items", "you", "news", "studies", "judges", "methodology", "api-docs",
    "submit", "about",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Address:
    """A page; `changed_on` is None where that is not known."""

    path: str
    changed_on: date | None = None


@dataclass(frozen=True, slots=True)
class Card:
    """Three lines. `headline` counts the ranked models; `best` is "" where none is ranked."""

    headline: str
    subject: str
    best: str


def addresses_stamp() -> Stamp | None:
    """A mark of the rows and banks that have pages; None while there is no standing. Four queries."""
    stamp = rankings_stamp()
    return stamp and (*stamp, figures_stamp(), study_results().count())


def addresses() -> list[Address]:
    """Every public page, the general ones first. Six queries."""
    return list(islice(_addresses(), MOST_ADDRESSES))


def _addresses() -> Iterator[Address]:
    yield from (Address(reverse(name)) for name in PAGES)
    yield from study_addresses()
    yield from (Address(reverse("statistics-section", args=[kind.key])) for kind in KINDS)
    rankings = ranking_facts()
    if rankings:
        yield Address(reverse("charts-home"))
    for facts in rankings:
        changed_on = facts.computed_at.date() if facts.computed_at else None
        yield Address(reverse("ranking", args=[facts.key]), changed_on)
        yield Address(reverse("charts", args=[facts.key]), changed_on)
    yield from (model_address(model) for model in public_models().iterator())
    yield from item_addresses()
    ended = Run.objects.listed().filter(finished_at__isnull=False).order_by("-pk")
    for pk, finished_at in ended.values_list("pk", "finished_at").iterator():
        yield Address(reverse("run", args=[pk]), finished_at.date() if finished_at else None)


def study_addresses() -> Iterator[Address]:
    """The studies that have results."""
    newest = study_results().values("study__slug").annotate(at=Max("computed_at")).order_by("study__slug")
    for slug, at in newest.values_list("study__slug", "at"):
        yield Address(reverse("study", args=[slug]), at.date())


def study_results() -> "QuerySet[Model]":
    """By its name: the app of the studies is a layer above this one."""
    return apps.get_model("study", "StudyResult")._default_manager.all()


def item_addresses() -> Iterator[Address]:
    """The list of each bank's items, and each item; their texts show where the bank is open."""
    last = ""
    banks = ItemBank.objects.exclude(access=Access.PRIVATE)
    banks = banks.exclude(benchmark__in=banks_without_items())
    items = Item.objects.filter(bank__in=banks).order_by("bank__slug", "number")
    for bank, item_id in items.values_list("bank__slug", "item_id").iterator():
        if bank != last:
            yield Address(reverse("items", args=[bank]))
        last = bank
        yield Address(reverse("item", args=[bank, item_id]))


def model_address(model: LanguageModel) -> Address:
    return Address(reverse("model", args=[model.slug]))


def card_of() -> Card:
    """What the fullest ranking says. Three queries."""
    facts = next(iter(ranking_facts()), None)
    if facts is None or not facts.n_ranked:
        return Card("Language models ranked by their emotional intelligence", "", "")
    best = Standing.objects.filter(ranking=facts.key, rank=1).select_related("model").first()
    return Card(
        headline=f"{counted(facts.n_ranked, 'model')} ranked on {spelled(facts.title)}",
        subject=f"{count(facts.n_rows)} rows with intervals, rank ranges and ties",
        best=f"Best: {spelled(str(best.model))[:44]}, {figure(best.score, ranking_measure(facts.benchmark))}"
        if best
        else "",
    )
