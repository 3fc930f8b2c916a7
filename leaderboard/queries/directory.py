"""Which rankings there are, what they are called, and a mark of what they hold."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Count, Max

from evaluation.benchmarks import BENCHMARKS
from evaluation.models import ItemBank
from leaderboard.models import Standing
from leaderboard.queries.rows import unread_runs


@dataclass(frozen=True, slots=True)
class Ranking:
    """A ranking that has a page. `bank_id` is None where figures are known and the bank is not loaded."""

    key: str
    title: str
    benchmark: str
    bank_id: int | None
    n_items: int | None
    licence: str


def filled_rankings() -> dict[str, datetime]:
    """Key -> when its newest row was computed, the fullest ranking first."""
    counts = Standing.objects.values("ranking").annotate(n=Count("pk"), at=Max("computed_at"))
    return dict(counts.order_by("-n", "ranking").values_list("ranking", "at"))


def rankings_stamp() -> tuple[object, ...] | None:
    """A mark of the standings and of the runs that stand below them; None while there is no standing. Two queries.

    It does not see a corrected fact or figure of a model, nor a bank that is loaded under published figures.
    """
    standings = Standing.objects.order_by("ranking").values_list("ranking").annotate(Count("pk"), Max("computed_at"))
    held = tuple(standings)
    return (held, *unread_runs().aggregate(Count("pk"), Max("pk")).values()) if held else None


def loaded_banks() -> dict[str, Ranking]:
    """Slug -> the ranking of each bank under its own scoring rule."""
    columns = ("slug", "title", "benchmark", "pk", "n", "licence")
    banks = ItemBank.objects.annotate(n=Count("items")).values_list(*columns)
    return {slug: Ranking(slug, *values) for slug, *values in banks}


def described(key: str, banks: Mapping[str, Ranking]) -> Ranking:
    """What a key says: a bank's slug, or a bank's slug and another scoring rule, or figures without a bank."""
    if key in banks:
        return banks[key]
    slug, _, rule = key.rpartition("--")
    title = BENCHMARKS[rule].title if rule in BENCHMARKS else rule
    if slug in banks:
        return replace(banks[slug], key=key, title=f"{banks[slug].title}, {title}", benchmark=rule)
    return Ranking(key, title, key, None, None, "")
