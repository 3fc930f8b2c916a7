"""What the list of judges and the page of one judge show."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.models import ItemBank, Judge
from evaluation.statistics.judges import Agreement, JudgedPair, agreement
from leaderboard.rounding import MISSING, count, number, p_value
from leaderboard.standings.keys import ranking_key
from leaderboard.study.judges.drawing import LeanMark, ShareMark, lean_mark, reach, share_mark
from leaderboard.study.judges.figures import Figures, both_rated, figures_of, share
from leaderboard.study.judges.reading import Judged, banks_of, judged_by, judges
from leaderboard.study.judges.wording import (
    agreement_words,
    headline,
    interval_words,
    lean_sum,
    list_headline,
    points,
    read_share,
    state_of,
)

LEVELS = ("Bad", "Okay", "Good")
HEAT_STEPS = 8


@dataclass(frozen=True, slots=True)
class JudgeRow:
    name: str
    slug: str
    maker: str
    is_enabled: bool
    is_demo: bool
    prompt: str
    replies: str
    read: str
    kappa: str
    weighted: str
    lean: str
    mark: LeanMark | None
    state: str
    state_words: str


@dataclass(frozen=True, slots=True)
class JudgesPage:
    headline: str
    rows: tuple[JudgeRow, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """`heat` is the step of its shade, by its share of the row."""

    n: str
    share: str
    heat: int
    is_same: bool


@dataclass(frozen=True, slots=True)
class TableRow:
    label: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Agreed:
    """How a judge agrees with people, as text; an en dash for a kappa that is not defined."""

    n: str
    same: str
    kappa: str
    linear: str
    quadratic: str


@dataclass(frozen=True, slots=True)
class ResponderRow:
    """Shares of Good of one responder; all figures are text, an en dash where there is none."""

    label: str
    slug: str
    is_own: bool
    is_people: bool
    judge: str
    people: str
    difference: str
    n: str
    length: str
    mark: ShareMark
    run_id: int
    agreed: Agreed


@dataclass(frozen=True, slots=True)
class PairRow:
    first: str
    second: str
    difference: str
    interval: str
    only_first: str
    only_second: str
    p: str
    is_clear: bool


@dataclass(frozen=True, slots=True)
class Choice:
    label: str
    slug: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class JudgePage:
    """`ranking` is the key of the judge's own ranking; "" where nothing stands in it yet."""

    judge: Judge
    headline: str
    state: str
    state_words: str
    bank: ItemBank | None
    banks: tuple[Choice, ...]
    ranking: str
    figures: Figures
    lean: str
    lean_interval: str
    lean_sum: str
    lean_mark: LeanMark | None
    own: str
    own_interval: str
    gap: str
    agreed: Agreed
    read: str
    n_unread: str
    agreement: str
    table: tuple[TableRow, ...]
    responders: tuple[ResponderRow, ...]
    pairs: tuple[PairRow, ...]


def judges_page() -> JudgesPage:
    found = [(judge, _judged(judge)) for judge in judges()]
    figures = [figures_of(judged, with_pairs=False) for _, judged in found]
    most = reach([each.lean for each in figures if each.lean is not None])
    rows = [_row(judge, judged, each, most) for (judge, judged), each in zip(found, figures, strict=True)]
    return JudgesPage(list_headline(len(rows)), tuple(rows))


def judge_page(judge: Judge, bank_slug: str = "") -> JudgePage:
    """The page on the bank of that slug; any other slug counts as not asked for."""
    banks = banks_of(judge)
    bank = next((each for each in banks if each.slug == bank_slug), banks[0] if banks else None)
    judged = judged_by(judge, bank) if bank else []
    figures = figures_of(judged)
    state, state_words = state_of(judged)
    most = reach([figures.lean] if figures.lean else [])
    agreed = figures.agreement
    return JudgePage(
        judge=judge,
        headline=headline(judge, judged, figures),
        state=state,
        state_words=state_words,
        bank=bank,
        banks=tuple(Choice(each.title, each.slug, each == bank) for each in banks) if len(banks) > 1 else (),
        ranking=_ranking(bank, judged),
        figures=figures,
        lean=points(figures.lean.lean) if figures.lean else MISSING,
        lean_interval=interval_words(figures.lean),
        lean_sum=lean_sum(figures.lean) if figures.lean else "",
        lean_mark=lean_mark(figures.lean, most) if figures.lean else None,
        own=points(figures.own.lean) if figures.own else MISSING,
        own_interval=interval_words(figures.own),
        gap=points(figures.gap),
        agreed=_agreed(agreed),
        read=read_share(figures),
        n_unread=count(figures.n_asked - figures.n_read),
        agreement=agreement_words(figures) if agreed.n else "",
        table=_table(agreed.table),
        responders=tuple(map(_responder, sorted(judged, key=_best_first))),
        pairs=tuple(map(_pair, figures.pairs)),
    )


def _judged(judge: Judge) -> list[Judged]:
    """On the bank with most of its runs."""
    banks = banks_of(judge)
    return judged_by(judge, banks[0]) if banks else []


def _row(judge: Judge, judged: Sequence[Judged], figures: Figures, most: float) -> JudgeRow:
    state, words = state_of(judged)
    return JudgeRow(
        name=judge.name,
        slug=judge.slug,
        maker=judge.maker,
        is_enabled=judge.enabled,
        is_demo=judge.is_demo,
        prompt=f"v{judge.prompt_version}",
        replies=count(figures.n_replies),
        read=read_share(figures),
        kappa=number(figures.agreement.kappa, 2),
        weighted=number(figures.agreement.quadratic, 2),
        lean=points(figures.lean.lean) if figures.lean else MISSING,
        mark=lean_mark(figures.lean, most) if figures.lean else None,
        state=state,
        state_words=words,
    )


def _ranking(bank: ItemBank | None, judged: Sequence[Judged]) -> str:
    ranked = [each.run for each in judged if each.counts]
    if bank is None or not ranked:
        return ""
    return ranking_key(bank.slug, bank.benchmark, ranked[0].benchmark, ranked[0].variant)


def _table(table: Sequence[Sequence[int]]) -> tuple[TableRow, ...]:
    return tuple(
        TableRow(LEVELS[at], tuple(_cell(n, sum(row), is_same=at == column) for column, n in enumerate(row)))
        for at, row in enumerate(table)
    )


def _cell(n: int, total: int, *, is_same: bool) -> Cell:
    part = n / total if total else 0.0
    return Cell(count(n), f"{number(100 * part, 0)} %" if total else MISSING, round(HEAT_STEPS * part), is_same)


def _agreed(found: Agreement) -> Agreed:
    return Agreed(
        n=count(found.n),
        same=f"{number(100 * found.same / found.n, 0)} %" if found.n else MISSING,
        kappa=number(found.kappa, 2),
        linear=number(found.linear, 2),
        quadratic=number(found.quadratic, 2),
    )


def _best_first(each: Judged) -> tuple[bool, float, str]:
    return not each.is_people, -(share(each.ratings) or 0.0), each.label


def _responder(each: Judged) -> ResponderRow:
    by_judge = share(each.ratings) if each.counts else None
    # Beside people the judge's share is that over the replies that people rated.
    both = {prompt: rating for prompt, rating in each.ratings.items() if prompt in each.people}
    beside, by_people = share(both), share(each.people)
    difference = None if beside is None or by_people is None else beside - by_people
    length = each.run.figures.get("mean_length", {}).get("value")
    return ResponderRow(
        label=each.label,
        slug=each.run.model.slug,
        is_own=each.is_own,
        is_people=each.is_people,
        judge=_per_cent(by_judge),
        people=_per_cent(by_people),
        difference=points(difference),
        n=count(len(each.ratings)) if each.counts else MISSING,
        length=number(length, 1),
        mark=share_mark(by_judge, by_people),
        run_id=each.run.pk,
        agreed=_agreed(agreement(both_rated([each] if each.counts else []))),
    )


def _per_cent(value: float | None) -> str:
    return MISSING if value is None else f"{number(100 * value, 1)} %"


def _pair(pair: JudgedPair) -> PairRow:
    clear = pair.p_adjusted is not None and pair.p_adjusted < 0.05
    return PairRow(
        first=pair.first,
        second=pair.second,
        difference=points(pair.difference),
        interval=f"{points(pair.interval.low)} to {points(pair.interval.high)}" if pair.interval else MISSING,
        only_first=count(pair.only_first),
        only_second=count(pair.only_second),
        p=p_value(pair.p_adjusted),
        is_clear=clear,
    )
