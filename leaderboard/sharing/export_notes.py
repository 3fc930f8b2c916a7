"""What the columns of the files mean, with their units: for the page of the API. Names and types are the files' own."""

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa  # type: ignore[import-untyped]

from evaluation.statistics.ranks import DRAWS, OUTLIERS

RESAMPLED = f"{100 - 100 / OUTLIERS:g} % of {DRAWS:,} resamples of the items"
SURE = f"{RESAMPLED}, or by both scores' errors where one has no answers"
TYPES: Mapping[str, str] = {
    "string": "text",
    "bool": "true or false",
    "int16": "whole number",
    "int32": "whole number",
    "int64": "whole number",
    "double": "number",
    "float": "number of single precision",
    "int8": "whole number",
    "dictionary<values=string, indices=int32, ordered=0>": "text",
    "date32[day]": "date, ISO 8601",
    "list<item: double>": "list of numbers",
    "list<item: string>": "list of text",
}
RANKING: Mapping[str, str] = {
    "rank": "1 is best; equal scores share a rank; null for what does not compete",
    "rank_low": f"the best possible rank: 1 + the models ahead of it in {SURE}",
    "rank_high": f"the worst possible rank: the last but for the models behind it in {SURE}",
    "tie_group": "number of the tie group, from 1: the best model not yet in a group and all later ones tied with it",
    "tied_with": "how many other models it is tied with: neither is ahead of the other",
    "rank_low_all": "rank_low when all models are compared at once: 5 % is the chance of any wrong claim in the field",
    "rank_high_all": "rank_high when all models are compared at once",
    "model": "Hugging Face id or API name",
    "display_name": "name on the pages",
    "slug": "name in addresses: /models/<slug>/",
    "organisation": "maker",
    "open_weights": "null where not known",
    "params_billion": "size, in billions of parameters",
    "origin": "measured, imported, published, baseline or demo",
    "score": "points; mean of the items over all passes of the runs that count, by the standard reading",
    "strict_score": "points; by the official reading alone",
    "standard_error": "points",
    "interval_low": "points; lower end of the 95 % interval of the score",
    "interval_high": "points; upper end of the 95 % interval of the score",
    "approximate": "whether interval and ranks come from the usual error of a score, not from items",
    "n_items": "items of the newest run that counts",
    "n_scored": "items of it that have a score",
    "runs": "runs behind the score",
    "repeats": "passes behind the score, over all runs",
    "cv_percent": "coefficient of variation over all passes, in per cent; null for a single one",
    "mmlu": "per cent; as published, with its source on the model's page",
    "arena_elo": "Elo points; as published",
    "magi_hard": "per cent; as published",
    "measured_on": "day on which the newest run that counts ended",
    "run": "number of the newest run that counts: /runs/<run>/",
    "other_settings": "how its runs were asked otherwise than the benchmark's standard; null for not at all",
    "scorer_version": "the scorer of the runs that count; several are joined by commas",
}
RUN: Mapping[str, str] = {
    "item": "id of the item in its bank",
    "number": "position of the item in the bank's file, from 1",
    "repeat": "pass of the run, from 1",
    "part": "first_pass, or a later part of the same reply such as revised",
    "counted": "whether the run's score counts this part",
    "state": "read, unread or fault",
    "reading": "official, tolerant or none: the reader that found the answer",
    "labels": "names of the feelings; empty where the bank is closed",
    "answer": "ratings in the order of the labels, on the scale of the bank; null where nothing was read",
    "reference": "ratings that the answer is compared with",
    "score": "points of the item, 10 at most; the run's score is ten times the mean",
    "strict_score": "the same by the official reading alone",
    "reason": "why nothing was read",
    "flags": "what was out of the ordinary in an answer that was read",
    "attempts": "how often the item was asked",
    "latency_ms": "milliseconds that the last request took",
    "prompt_tokens": "tokens of the request whose reply is kept, as the endpoint counts them",
    "completion_tokens": "tokens of the reply that is kept, as the endpoint counts them",
}
ITEM_SCORES: Mapping[str, str] = {
    "model": "Hugging Face id or API name",
    "slug": "name in addresses: /models/<slug>/",
    "origin": "measured or imported",
    "rank": "in the ranking as a whole, 1 is best",
    "score": "points; the mean of the items of its row",
    "item_1": "points of the first item, a mean over all passes that count; then each other item by its number",
}
PAIRS: Mapping[str, str] = {
    "first": "slug of the model that ranks higher",
    "second": "slug of the other model",
    "difference": "points; mean difference of the first less the second over the items that both have",
    "standard_error": "points; of this difference, paired by items",
    "shared_items": "items that both have",
    "ahead": "1 where the ranking puts the first ahead, -1 the second, 0 where they are tied",
}


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    kind: str
    note: str


def columns(schema: pa.Schema, notes: Mapping[str, str]) -> tuple[Column, ...]:
    """The columns of a file in their order. Raises KeyError for a column or a type that has no words here."""
    return tuple(Column(field.name, TYPES[str(field.type)], notes[field.name]) for field in schema)
