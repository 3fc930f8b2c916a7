"""What the columns of the files mean, with their units: for the page of the API. Names and types are the files' own."""

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa  # type: ignore[import-untyped]

from leaderboard.pages.rankings.columns import every_column, fields_of

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
RANKING: Mapping[str, str] = {field.name: field.note for field in fields_of(every_column().values())}
RUN: Mapping[str, str] = {
    "item": "id of the item in its bank",
    "number": "position of the item in the bank's file, from 1",
    "repeat": "pass of the run, from 1",
    "part": "first_pass, or a later part of the same reply such as revised",
    "counted": "whether the run's score counts this part",
    "state": "read, unread or fault",
    "reading": "official, tolerant or none: the reader that found the answer",
    "labels": "names of what is rated, such as feelings; empty where the bank is closed",
    "answer": "ratings in the order of the labels, on the scale of the bank; null where nothing was read",
    "reference": "ratings that the answer is compared with; empty where they are not public",
    "score": "of the item, in the unit of its benchmark; with EQ-Bench 10 at most, and a run has ten times the mean",
    "strict_score": "the same by the official reading alone",
    "reason": "why nothing was read",
    "flags": "what was out of the ordinary in an answer that was read",
    "attempts": "how often the item was asked",
    "latency_ms": "milliseconds that the last request took",
    "prompt_tokens": "tokens of the request whose reply is kept, as the endpoint counts them",
    "completion_tokens": "tokens of the reply that is kept, as the endpoint counts them",
    "values": "all values of the item in the order of the benchmark's item measures; the first is the score",
    "shown": "JSON: the order in which options or questions were shown; empty where there is one order only",
}
ITEM_SCORES: Mapping[str, str] = {
    "model": "Hugging Face id or API name",
    "slug": "name in addresses: /models/<slug>/",
    "origin": "measured or imported",
    "rank": "in the ranking as a whole, 1 is best",
    "score": "in the unit of its benchmark; the mean of the items of its row",
    "item_1": "of the first item on the scale of the score, a mean over all passes that count; then all others",
}
PAIRS: Mapping[str, str] = {
    "first": "slug of the model that ranks higher",
    "second": "slug of the other model",
    "difference": "in the unit of the scores; mean of the first less the second over the items that both have",
    "standard_error": "in the unit of the scores; of this difference, paired by items",
    "shared_items": "items that both have",
    "ahead": "1 where the ranking puts the first ahead, 0 where the two are tied",
}


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    kind: str
    note: str


def columns(schema: pa.Schema, notes: Mapping[str, str]) -> tuple[Column, ...]:
    """The columns of a file in their order. Raises KeyError for a column or a type that has no words here."""
    return tuple(Column(field.name, TYPES[str(field.type)], notes[field.name]) for field in schema)
