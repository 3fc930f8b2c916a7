"""Plain words for the admin: what a column, a field or a filter of the database is called on a page."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.admin.filters import AllValuesFieldListFilter, BooleanFieldListFilter, FieldListFilter
from django.http import HttpRequest

from evaluation.published_tables import PUBLISHED, benchmark_of

OTHER_TESTS = {"mmlu": "MMLU", "arena_elo": "Arena Elo"}  # figures of other boards that this one shows beside its own
LABELS = {
    "access": "What the public may see",
    "all_parts": "All that was read from the reply",
    "api_model": "Model name in the API",
    "as_of": "Date of the figure",
    "at": "When",
    "bank": "Item bank",
    "base_url": "Base address",
    "by_hand": "Set by hand",
    "completion_tokens": "Tokens of the replies",
    "consent_version": "Version of the words agreed to",
    "departures": "Settings that are not the standard ones",
    "excluded": "Left out by a rule",
    "extra_body": "Further fields of each request",
    "failure": "What went wrong",
    "failure_kind": "Where it went wrong",
    "fault_counts": "Requests that failed, by kind",
    "heartbeat_at": "Last sign of life",
    "item_id": "Name in the bank’s file",
    "judging_consent": "Replies may go to judges",
    "key_kept_until": "Key kept until",
    "keep_key": "Keep the key after a run",
    "labels": "Words to rate",
    "latency_ms": "Milliseconds until the reply",
    "limit": "Asks only so many items",
    "match": "How the name was matched",
    "matched_name": "Name in the table",
    "max_concurrency": "Requests at once",
    "max_tokens": "Most tokens of a judgement",
    "mean_tokens": "Mean tokens",
    "model": "Model",
    "n_asks": "Items to ask in all",
    "n_items": "Items",
    "n_scored": "Items with a score",
    "not_before": "Waits until",
    "number": "Number",
    "open_weights": "Weights are open",
    "origin": "Where the score comes from",
    "out_of_the_ordinary": "What is unusual in the reply",
    "owner": "Whose turn it uses",
    "params": "Size as published",
    "params_billion": "Size in billions of parameters",
    "parent": "Repeats this run",
    "parse_share": "Share of replies that were read",
    "price_completion": "Price of replies",
    "price_prompt": "Price of prompts",
    "prompt_tokens": "Tokens of the prompts",
    "publish_consent": "The score may be published",
    "published_score": "Score that the file claims",
    "queued_at": "In the queue since",
    "ranks": "May be ranked",
    "reading": "How the reply was read",
    "released_month_only": "Only the month of release is known",
    "released_on": "Release date",
    "repeat": "Repeat",
    "repeats": "Times that each item is asked",
    "repeat_scores": "Score of each repeat",
    "scorer_version": "Version of the scoring",
    "score_history": "Earlier scores",
    "setting": "How it was measured",
    "sha256": "SHA-256 of the file",
    "slug": "Name in addresses",
    "source_sha256": "SHA-256 of the imported file",
    "source": "Where it comes from",
    "table": "Published table",
    "variant": "Variant of the benchmark",
    "wall_seconds": "Seconds of work",
    "what_was_done": "What exactly was asked",
    "why_unread": "Why nothing was read",
}  # fmt: skip
HELP = {
    "as_of": "2024, 2024-01 or 2024-01-29, as far as it is known",
    "params": "for example 8x7B",
    "price_completion": "US dollars for a million tokens",
    "price_prompt": "US dollars for a million tokens",
    "priority": "A run with a higher number starts first. Most have 0.",
    "published": "Its score counts in the ranking, and everybody can read the run.",
}


def benchmark_title(name: str) -> str:
    """What a benchmark or a published table is called; the name itself where there is none of that name."""
    found = benchmark_of(name) or PUBLISHED.get(name)
    return found.title if found else OTHER_TESTS.get(name, name)


def column(
    path: str, heading: str, *, order: str = "", boolean: bool = False, words: Callable[[Any], Any] | None = None
) -> Callable[[Any], Any]:
    """A column of a list: the value at the end of a path such as "model__name", under a heading in plain words.

    `words` makes something readable of the value; a choice is shown by its label anyway.
    """
    *steps, last = path.split("__")

    @admin.display(description=heading, ordering=order or path, boolean=boolean)
    def shown(row: Any) -> Any:
        for step in steps:
            row = getattr(row, step)
        label = getattr(row, f"get_{last}_display", None)
        value = label() if label else getattr(row, last)
        return words(value) if words else value

    shown.__name__ = last
    return shown


def said(yes: str, no: str = "") -> Callable[[bool], str]:
    """Words instead of a tick or a cross, for what is neither right nor wrong."""
    return lambda value: yes if value else no


@admin.display(description="benchmark", ordering="benchmark")
def benchmark(row: Any) -> str:
    return benchmark_title(row.benchmark)


def titled(title: str) -> type[FieldListFilter]:
    """A filter by a field under a title in plain words."""

    class Titled(FieldListFilter):
        def __new__(cls, field: Any, *args: Any, **kwargs: Any) -> Any:
            made = FieldListFilter.create(field, *args, **kwargs)
            made.title = title
            return made

    return Titled


def yes_no(title: str, yes: str, no: str) -> type[BooleanFieldListFilter]:
    """A filter by a field that is true or false, in words."""
    words = {"Yes": yes, "No": no, "Unknown": "not known"}

    class YesNo(BooleanFieldListFilter):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.title = title

        def choices(self, changelist: Any) -> Iterator[Any]:
            for choice in super().choices(changelist):
                yield {**choice, "display": words.get(str(choice["display"]), choice["display"])}

    return YesNo


def named(title: str, name_of: Callable[[str], str]) -> type[AllValuesFieldListFilter]:
    """A filter by all values of a field, each shown by its name."""

    class Named(AllValuesFieldListFilter):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.title = title

        def choices(self, changelist: Any) -> Iterator[Any]:
            for at, choice in enumerate(super().choices(changelist)):
                yield {**choice, "display": name_of(str(choice["display"])) if at else choice["display"]}

    return Named


class PlainAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # the stubs take one, the class at run time none
    """Forms that call their fields by plain words; a class adds its own, or other ones, as `labels` and `helps`."""

    labels: ClassVar[Mapping[str, str]] = {}
    helps: ClassVar[Mapping[str, str]] = {}

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        words = {"labels": {**LABELS, **self.labels}, "help_texts": {**HELP, **self.helps}}
        return super().get_form(request, obj, change, **{**words, **kwargs})
