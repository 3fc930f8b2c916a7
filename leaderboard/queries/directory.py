"""Which rankings there are, what they are called, and a mark of what they hold."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from django.conf import settings
from django.core.cache import cache
from django.db.models import Case, Count, F, Max, Subquery, Value, When

from evaluation.benchmarks import BENCHMARKS
from evaluation.models import Access, ItemBank, LanguageModel, ReferenceScore
from leaderboard.models import Standing
from leaderboard.queries.ready import told
from leaderboard.queries.rows import unread_runs

Stamp = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Ranking:
    """A ranking that has a page. `bank_id` is None where figures are known and the bank is not loaded; `citation` is
    how the bank wants to be cited, "" where it does not say."""

    key: str
    title: str
    benchmark: str
    bank_id: int | None
    n_items: int | None
    licence: str
    bank_sha256: str = ""
    citation: str = ""


def filled_rankings() -> dict[str, datetime]:
    """Key -> when its newest row was computed, the fullest ranking first."""
    counts = Standing.objects.values("ranking").annotate(n=Count("pk"), at=Max("computed_at"))
    return dict(counts.order_by("-n", "ranking").values_list("ranking", "at"))


def rankings_stamp() -> Stamp | None:
    """A mark of the standings, of the runs that stand below them and of all facts; None while there is no standing. Two
    queries, none within STAMP_SECONDS after another request of the process."""
    return held_a_moment("rankings-stamp", _rankings_stamp)


def held_a_moment(key: str, look: Callable[[], Stamp | None]) -> Stamp | None:
    """What `look` gives, looked up anew after STAMP_SECONDS: so much later than its commit a result may show."""
    seconds: float = settings.STAMP_SECONDS
    found: Stamp | None = cache.get(key) if seconds else None
    if found is None:
        found = look()
        if seconds and found is not None:
            cache.set(key, found, seconds)
    return found


def _rankings_stamp() -> Stamp | None:
    standings = Standing.objects.order_by("ranking").values_list("ranking")
    held = tuple(standings.annotate(Count("pk"), Max("computed_at"), **facts_now()))
    return (held, *unread_runs().aggregate(Count("pk"), Max("pk")).values()) if held else None


def figures_stamp() -> Stamp | None:
    """A mark of the standings, of which banks' texts may be shown and of all facts; None while there is no bank. One
    query, none within STAMP_SECONDS after another request of the process."""
    return held_a_moment("figures-stamp", _figures_stamp)


def _figures_stamp() -> Stamp | None:
    held = Standing.objects.order_by().annotate(together=Value(1)).values("together")
    banks = ItemBank.objects.order_by("pk").annotate(
        n_rows=Subquery(held.annotate(n=Count("pk")).values("n")),
        newest=Subquery(held.annotate(at=Max("computed_at")).values("at")),
        **facts_now(),
    )
    return tuple(banks.values_list("pk", "access", "n_rows", "newest", *facts_now())) or None


def facts_now() -> dict[str, Subquery]:
    """How many models, published figures and banks there are and when the newest of each changed, for any query."""
    return {
        "told_models": told(LanguageModel.objects.all(), "changed_at"),
        "told_figures": told(ReferenceScore.objects.all(), "changed_at"),
        "told_banks": told(ItemBank.objects.all(), "loaded_at"),
    }


def loaded_banks() -> dict[str, Ranking]:
    """Slug -> the ranking of each bank under its own scoring rule."""
    # The hash of a private bank would let a guess of its references be checked.
    shown_hash = Case(When(access=Access.PRIVATE, then=Value("")), default=F("sha256"))
    columns = ("slug", "title", "benchmark", "pk", "n", "licence", "shown_hash", "citation")
    banks = ItemBank.objects.annotate(n=Count("items"), shown_hash=shown_hash).values_list(*columns)
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
