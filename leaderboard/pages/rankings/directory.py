"""Which rankings there are, what they are called, and a mark of what they hold."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db.models import Case, Count, F, Max, QuerySet, Subquery, Value, When

from evaluation.benchmarks import JUDGES_OF
from evaluation.disclosure import month_of
from evaluation.models import Access, ItemBank, LanguageModel, ReferenceScore, Run
from evaluation.published_tables import PUBLISHED, benchmark_of
from evaluation.runs.judging import judge_names, slug_of
from leaderboard.models import HumanSet, Standing, StatisticsSection
from leaderboard.pages.rankings.ready import told
from leaderboard.pages.rankings.rows import unread_runs
from leaderboard.standings.keys import bank_in, ranking_key, rule_in
from leaderboard.submissions.people import COUNTS

Stamp = tuple[object, ...]
BANK_COLUMNS = ("slug", "title", "benchmark", "pk", "n", "licence", "shown_hash", "citation")
"""Of `counted_banks`, in the order of a ranking's fields."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """A ranking that has a page. `bank_id` is None where figures are known and the bank is not loaded; `citation` is
    how the bank wants to be cited, "" where it does not say; `variant` is that of the benchmark, "" for most; `judges`
    has slug -> name of those who rate its replies."""

    key: str
    title: str
    benchmark: str
    bank_id: int | None
    n_items: int | None
    licence: str
    bank_sha256: str = ""
    citation: str = ""
    variant: str = ""
    judges: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def is_private(self) -> bool:
        return self.bank_id is not None and not self.bank_sha256

    def told(self, computed_at: datetime) -> datetime:
        """When a row of it was computed, as everybody may know it."""
        return month_of(computed_at) if self.is_private else computed_at


def filled_rankings() -> dict[str, datetime]:
    """Key -> when its newest row was computed, the fullest ranking first. As `rankings_stamp` has it."""
    by_size = sorted(rankings_stamp() or (), key=lambda held: (-held[1], held[0]))
    return {key: at for key, _, at, *_ in by_size}


def rankings_stamp() -> tuple[Any, ...] | None:
    """A mark of the standings, of the runs that stand below them, of what people answered, of the statistics that are
    stated beside them, and of all facts: (key, rows, newest, ...) of each ranking. None while there is no standing. One
    query, none within STAMP_SECONDS after another request of the process."""
    return held_a_moment("rankings-stamp", _rankings_stamp)


def held_a_moment(key: str, look: Callable[[], tuple[Any, ...] | None]) -> tuple[Any, ...] | None:
    """What `look` gives, looked up anew after STAMP_SECONDS: so much later than its commit a result may show."""
    seconds: float = settings.STAMP_SECONDS
    found: tuple[Any, ...] | None = cache.get(key) if seconds else None
    if found is None:
        found = look()
        if seconds and found is not None:
            cache.set(key, found, seconds)
    return found


def _rankings_stamp() -> tuple[Any, ...] | None:
    standings = Standing.objects.order_by("ranking").values_list("ranking")
    beside = {
        "told_unread": told(unread_runs(), "pk"),
        "told_sets": told(HumanSet.objects.all(), "pk"),
        "told_counted_sets": told(HumanSet.objects.filter(COUNTS), "pk"),
        "told_gaps": told(StatisticsSection.objects.filter(section="scores"), "computed_at"),
    }
    return tuple(standings.annotate(Count("pk"), Max("computed_at"), **beside, **facts_now())) or None


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
    """Slug -> the ranking of each bank under its own scoring rule. One query, and one where judges rate its replies."""
    return with_judges(Ranking(*values) for values in counted_banks().values_list(*BANK_COLUMNS))


def whole_banks() -> tuple[dict[str, Ranking], dict[int, ItemBank]]:
    """`loaded_banks`, and the banks by primary key. As many queries as that."""
    banks = list(counted_banks())
    rankings = [Ranking(bank.slug, *(getattr(bank, name) for name in BANK_COLUMNS[1:])) for bank in banks]
    return with_judges(rankings), {bank.pk: bank for bank in banks}


def with_judges(rankings: Iterable[Ranking]) -> dict[str, Ranking]:
    """Key -> ranking, with the names of the judges where they rate the replies of the bank."""
    found = {ranking.key: ranking for ranking in rankings}
    judged = [key for key, ranking in found.items() if ranking.benchmark in JUDGES_OF.values()]
    names = judge_names() if judged else {}
    return found | {key: replace(found[key], judges=names) for key in judged}


def counted_banks() -> QuerySet[ItemBank]:
    # The hash of a private bank would let a guess of its references be checked.
    shown_hash = Case(When(access=Access.PRIVATE, then=Value("")), default=F("sha256"))
    return ItemBank.objects.annotate(n=Count("items"), shown_hash=shown_hash)


def described(key: str, banks: Mapping[str, Ranking]) -> Ranking:
    """What a key says: a bank's slug, with another scoring rule or a variant behind it or alone, or figures without a
    bank, which may be those of a published table."""
    slug = bank_in(key, banks)
    if not slug:
        return Ranking(key, title_of(key), key, None, None, licence_of(key), citation=citation_of(key))
    bank = banks[slug]
    if key == slug:
        return bank
    rule, variant = rule_in(key, slug, bank.benchmark)
    names = [bank.title, *([title_of(rule)] if rule != bank.benchmark else [])]
    if names[-1].startswith(f"{bank.title}, "):
        names = names[-1:]  # "SECEU, shuffled options", not "SECEU, SECEU, shuffled options"
    own = [f"judged by {bank.judges.get(judge, judge)}"] if (judge := slug_of(variant)) else filter(None, [variant])
    title = ", ".join([*(names[:1] if judge else names), *own])
    return replace(bank, key=key, title=title, benchmark=rule, variant=variant)


def title_of_run(run: Run, judges: Mapping[str, str] | None = None) -> str:
    """What the ranking of a run is called, whose bank is at hand. `judges` are their names by slug; None asks for them
    where the run is a judge's: one query."""
    bank = run.bank
    names = judge_names() if judges is None and run.subject_id else judges or {}
    own = Ranking(bank.slug, bank.title, bank.benchmark, bank.pk, None, bank.licence, judges=names)
    key = ranking_key(bank.slug, bank.benchmark, run.benchmark, run.variant)
    return described(key, {bank.slug: own}).title


def title_of(name: str) -> str:
    """What a benchmark or a published table is called; the name itself where there is none of that name."""
    found = benchmark_of(name) or PUBLISHED.get(name)
    return found.title if found else name


def citation_of(name: str) -> str:
    return PUBLISHED[name].citation if name in PUBLISHED else ""


def licence_of(name: str) -> str:
    return PUBLISHED[name].licence if name in PUBLISHED else ""
