"""What each ranking's statistics are computed from, as a hash: standings, the runs behind them, the bank. No numpy."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

from django.db.models import Q

from evaluation.importers.published import page_models
from evaluation.models import Access, ItemBank, LanguageModel, ReferenceScore, Run
from leaderboard.models import Standing
from leaderboard.standings.counted import RUN_COLUMNS, CountedRun
from leaderboard.standings.keys import bank_in, ranking_key, rule_in
from leaderboard.standings.ranks import COMPETING, WITH_ANSWERS
from leaderboard.standings.results import COUNTED

MEMBER_COLUMNS = (
    "model_id", "model__name", "model__slug", "model__display_name", "model__organisation", "origin", "score",
    "figures__strict_score", "standard_error", "rank", "rank_low", "rank_high", "cv_percent", "repeats",
    "run_ids", "rank_low_all", "rank_high_all",
)  # fmt: skip
ROWS = 2  # raise it where the rows of the same runs come to hold other numbers
STAMP_COLUMNS = ("origin", "scorer_version", "score", "n_scored", "finished_at")


class Member(NamedTuple):
    """A row of the ranking that competes, as far as the statistics use it. Scores are in points.

    `low` and `high` bound its possible ranks, `low_all` and `high_all` do so for all comparisons at once.
    """

    model_id: int
    full_name: str
    slug: str
    display_name: str
    organisation: str
    origin: str
    score: float
    strict_score: float | None
    standard_error: float | None
    rank: int | None
    low: int | None
    high: int | None
    cv_percent: float | None
    repeats: int
    run_ids: Sequence[int] = ()
    low_all: int | None = None
    high_all: int | None = None

    @property
    def name(self) -> str:
        return self.display_name or self.full_name


class BankFacts(NamedTuple):
    """The bank of a ranking, without its texts."""

    pk: int
    slug: str
    benchmark: str
    language: str
    sha256: str
    access: str


@dataclass(frozen=True, slots=True)
class Inputs:
    """One ranking: its members best first, each model's runs oldest first, and a mark of all of it.

    `runs` are those behind the members' standings; `stamps` mark each model's runs as they are now. `bank` is None
    where only published figures are known. `rule` is the benchmark by which the ranking scores.
    """

    ranking: str
    bank: BankFacts | None
    rule: str
    members: tuple[Member, ...]
    runs: dict[int, tuple[CountedRun, ...]]
    stamps: dict[int, str]
    mark: str


def inputs_of(rankings: Sequence[str] | None = None) -> dict[str, Inputs]:
    """The inputs of these rankings, or of all that have a row that competes. Three queries.

    Private banks are left out: nothing is computed of them but the gap of whole points (`private_rankings`)."""
    known = [BankFacts(*row) for row in ItemBank.objects.values_list(*BankFacts._fields)]
    banks = [bank for bank in known if bank.access != Access.PRIVATE]
    private = [bank for bank in known if bank.access == Access.PRIVATE]
    found = members_of(rankings)
    members = {ranking: own for ranking, own in found.items() if bank_of(ranking, private) is None}
    by_pk = {bank.pk: bank for bank in banks}
    runs = runs_of([bank for bank in banks if any(covers(bank, ranking) for ranking in members)], by_pk)
    return {
        ranking: inputs(ranking, own, bank_of(ranking, banks), runs.get(ranking, {}))
        for ranking, own in members.items()
    }


class PrivateRanking(NamedTuple):
    """A private bank's ranking under its own rule. `mark` changes with its rows and with the runs that may count.

    It is made of what everybody may know, and of keys and times: pages give it away as a hash."""

    ranking: str
    rule: str
    language: str
    mark: str


def private_rankings() -> tuple[PrivateRanking, ...]:
    """Those that have rows. One query without a private bank, else three."""
    banks = list(ItemBank.objects.filter(access=Access.PRIVATE).values_list("slug", "benchmark", "language"))
    if not banks:
        return ()
    rows = Standing.objects.filter(origin__in=WITH_ANSWERS, ranking__in=[slug for slug, _, _ in banks]).order_by("pk")
    found: defaultdict[str, list[str]] = defaultdict(list)
    for ranking, *columns in rows.values_list("ranking", "model_id", "score", "interval_low", "interval_high"):
        found[ranking].append(repr(columns))
    runs = Run.objects.filter(COUNTED, bank__access=Access.PRIVATE).order_by("pk")
    for ranking, *run in runs.values_list("bank__slug", "pk", "scorer_version", "finished_at"):
        if ranking in found:
            found[ranking].append(repr(run))
    return tuple(
        PrivateRanking(slug, rule, language, digest(*found[slug])) for slug, rule, language in banks if slug in found
    )


def covers(bank: BankFacts, ranking: str) -> bool:
    return bank_in(ranking, {bank.slug}) != ""


def bank_of(ranking: str, banks: Iterable[BankFacts]) -> BankFacts | None:
    return next((bank for bank in banks if covers(bank, ranking)), None)


def members_of(rankings: Sequence[str] | None) -> dict[str, list[Member]]:
    """Ranking -> its rows that compete, best first."""
    rows = Standing.objects.filter(origin__in=COMPETING)
    chosen = rows if rankings is None else rows.filter(ranking__in=rankings)
    found: defaultdict[str, list[Member]] = defaultdict(list)
    for ranking, *columns in chosen.order_by("ranking", "rank", "-score", "pk").values_list("ranking", *MEMBER_COLUMNS):
        found[ranking].append(Member(*columns))
    return dict(found)


Runs = dict[int, list[tuple[CountedRun, str]]]


def runs_of(banks: Sequence[BankFacts], by_pk: dict[int, BankFacts]) -> dict[str, Runs]:
    """Ranking -> model -> run that may count and what marks it, oldest first."""
    found: defaultdict[str, Runs] = defaultdict(lambda: defaultdict(list))
    rows = Run.objects.filter(COUNTED, Q(bank_id__in=[bank.pk for bank in banks])).order_by("pk")
    for bank_id, variant, *columns in rows.values_list("bank_id", "variant", *RUN_COLUMNS, *STAMP_COLUMNS):
        run, marks = CountedRun(*columns[: len(RUN_COLUMNS)]), columns[len(RUN_COLUMNS) :]
        bank = by_pk[bank_id]
        ranking = ranking_key(bank.slug, bank.benchmark, run.benchmark, variant)
        found[ranking][run.model_id].append((run, repr((run, marks))))
    return found


def inputs(ranking: str, members: Sequence[Member], bank: BankFacts | None, runs: Runs) -> Inputs:
    own = {
        member.model_id: [entry for entry in runs.get(member.model_id, ()) if entry[0].pk in member.run_ids]
        for member in members
    }
    head = repr((bank, ranking, ROWS))
    stamps = {model: digest(head, *(marks for _, marks in entries)) for model, entries in own.items() if entries}
    return Inputs(
        ranking=ranking,
        bank=bank,
        rule=rule_of(ranking, bank),
        members=tuple(members),
        runs={model: tuple(run for run, _ in entries) for model, entries in own.items() if entries},
        stamps=stamps,
        mark=digest(head, *map(repr, members), *(f"{model}:{stamp}" for model, stamp in stamps.items())),
    )


def rule_of(ranking: str, bank: BankFacts | None) -> str:
    if bank is None:
        return ranking
    return rule_in(ranking, bank.slug, bank.benchmark)[0]


def digest(*parts: str) -> str:
    return sha256("\n".join(parts).encode()).hexdigest()


class Figure(NamedTuple):
    """A published figure of a model."""

    model_id: int
    benchmark: str
    value: float
    setting: str
    as_of: str
    match: str
    preferred: bool


class Facts(NamedTuple):
    """What correlations need of a model. Models come in the order in which they were stored."""

    pk: int
    full_name: str
    slug: str
    display_name: str
    params_billion: float | None
    open_weights: bool | None
    organisation: str = ""

    @property
    def name(self) -> str:
        return self.display_name or self.full_name

    @property
    def maker(self) -> str:
        """Who made the model: its organisation, else the first part of its name, else the model itself."""
        return (self.organisation or self.full_name.rpartition("/")[0] or self.full_name).casefold()


@dataclass(frozen=True, slots=True)
class References:
    """All published figures and the models that they belong to.

    `with_run_file` are the full names of the models of the official page whose run file its authors published.
    """

    figures: tuple[Figure, ...]
    models: tuple[Facts, ...]
    with_run_file: frozenset[str]
    mark: str


def references() -> References:
    """Two queries; figures in the order in which they were stored."""
    figures = tuple(Figure(*row) for row in ReferenceScore.objects.order_by("pk").values_list(*Figure._fields))
    known = {figure.model_id for figure in figures}
    columns = ("pk", "name", "slug", "display_name", "params_billion", "open_weights", "organisation")
    models = tuple(Facts(*row) for row in LanguageModel.objects.order_by("pk").values_list(*columns) if row[0] in known)
    with_run_file = frozenset(page_models().values())
    mark = digest(repr(figures), repr(models), repr(sorted(with_run_file)))
    return References(figures, models, with_run_file, mark)
