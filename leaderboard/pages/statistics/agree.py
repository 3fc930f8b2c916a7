"""The section on whether the measures agree, from its stored numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.charts.base import Column, Table
from leaderboard.drawings.plots import Spot
from leaderboard.drawings.shapes import percent
from leaderboard.pages.statistics.parts import Claim, Part, Picture, picture, span
from leaderboard.rounding import counted, number
from leaderboard.statistics.agree import FEWEST

STRONG, CLEAR = 0.85, 0.6
DIGITS = 2
NAMED = 3  # models at each end of the differences
FORMULA = (
    "Spearman’s rho over the models that both measures have, with the interval of Bonett and Wright, tanh(atanh rho ± "
    f"1.959964 √((1 + rho² / 2) / (n − 3))). No value for fewer than {FEWEST} shared models. A measure of which less "
    "is better is reversed first. Verdicts: “agree strongly” from 0.85 on, “agree” from 0.6 on, “agree weakly” below, "
    "and “cannot say” where the interval includes 0. Each interval is 95 % for its own pair: about 1 in 20 does not "
    "hold the true value. "
    "Models are matched by name; where a source does not name the version, the nearest one is taken."
)
PAIRS = (
    Column("first", "Measure"),
    Column("second", "Other measure"),
    Column("n", "Models", 0),
    Column("rho", "Correlation", DIGITS),
    Column("low", "from", DIGITS),
    Column("high", "to", DIGITS),
    Column("verdict", "Verdict"),
    Column("most", "Differ most (rank on first → second)", wide_only=True),
    Column("n_approx", "Matched by nearest version", 0, wide_only=True),
)
MODELS = (
    Column("first_measure", "Measure"),
    Column("second_measure", "Other measure"),
    Column("model", "Model"),
    Column("first", "First", 2),
    Column("second", "Second", 2),
    Column("first_rank", "Rank on first", 0),
    Column("second_rank", "Rank on second", 0),
)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A model that both measures of a pair have, in the order of MODEL_COLUMNS; ranks among these models, 1 is best."""

    name: str
    slug: str
    first: float
    second: float
    first_rank: int
    second_rank: int


@dataclass(frozen=True, slots=True)
class Difference:
    """One of the models on which a pair disagrees most, drawn from the last rank to the first in per cent."""

    model: Ranked
    dot: str
    ring: str
    low: str
    high: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A pair in the matrix. `css` is its shade; `rho` is "" where too few models are shared, and `n` then says how few.
    `anchor` is the place of its picture."""

    css: str
    words: str
    n: int
    rho: str = ""
    interval: str = ""
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class MatrixRow:
    title: str
    cells: tuple[Cell, ...]
    n_empty: int


@dataclass(frozen=True, slots=True)
class Matrix:
    """The lower triangle: `heads` are all measures but the last, `rows` all but the first."""

    heads: tuple[tuple[str, int], ...]
    rows: tuple[MatrixRow, ...]


@dataclass(frozen=True, slots=True)
class PairView:
    """The models behind one cell of the matrix."""

    anchor: str
    first: str
    second: str
    sentence: str
    picture: Picture
    differences: tuple[Difference, ...]


def claims(value: Mapping[str, Any], n: int) -> list[Claim]:
    return []


def parts(value: Mapping[str, Any], n: int) -> list[Part]:
    if not value.get("pairs"):
        return []
    titles = [measure["title"] for measure in value["measures"]]
    known = [pair for pair in by_agreement(value["pairs"]) if is_known(pair)]
    found = [pairs_part(value, titles)]
    axes = [f"{each['title']}{', low is good' if each.get('lower') else ''}" for each in value["measures"]]
    return [*found, models_part(known, titles, axes)] if known else found


def is_known(pair: Mapping[str, Any]) -> bool:
    return pair.get("rho") is not None


def is_open(pair: Mapping[str, Any]) -> bool:
    """Whether the interval includes 0."""
    return pair["low"] is None or bool(pair["low"] <= 0 <= pair["high"])


def by_agreement(pairs: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Those with an answer first, the closest agreement first; then those without one, the fullest first."""
    return sorted(
        pairs, key=lambda pair: (not is_known(pair), is_known(pair) and is_open(pair), -(pair.get("rho") or 0))
    )


def verdict(pair: Mapping[str, Any]) -> str:
    if not is_known(pair):
        return f"only {pair['n']} shared" if pair["n"] else "none shared"
    if is_open(pair):
        return "cannot say"
    if pair["rho"] < 0:
        return "disagree"
    return "agree strongly" if pair["rho"] >= STRONG else "agree" if pair["rho"] >= CLEAR else "agree weakly"


def shade(pair: Mapping[str, Any]) -> str:
    if not is_known(pair):
        return "few"
    words = {"agree strongly": "a3", "agree": "a2", "agree weakly": "a1", "disagree": "against"}
    return words.get(verdict(pair), "open")


def anchor(pair: Mapping[str, Any]) -> str:
    return f"pair-{pair['first']}-{pair['second']}"


def headline(pairs: Sequence[Mapping[str, Any]], titles: Sequence[str]) -> str:
    """What the fullest measure agrees with, and for how many pairs that is not known."""
    answered = [pair for pair in by_agreement(pairs) if is_known(pair) and not is_open(pair)]
    n_open = len(pairs) - len(answered)
    left = f"for {n_open} of {counted(len(pairs), 'pair')} of measures there are too few data to tell"
    if not answered:
        return f"Do the measures agree? {left[:1].upper()}{left[1:]}"
    alike = [titles[pair["second"]] for pair in answered if not pair["first"] and pair["rho"] >= CLEAR]
    if alike:
        others = " and ".join(filter(None, [", ".join(alike[:-1]), alike[-1]]))
        most = f"{titles[0]} agrees with {others} on the order of models"
    else:
        first, second = names_of(answered[0], titles)
        most = f"{first} and {second}: rank correlation {number(answered[0]['rho'], DIGITS)}"
    return f"{most}; {left}" if n_open else most


def names_of(pair: Mapping[str, Any], titles: Sequence[str]) -> tuple[str, str]:
    return titles[pair["first"]], titles[pair["second"]]


def pairs_part(value: Mapping[str, Any], titles: Sequence[str]) -> Part:
    pairs = value["pairs"]
    few = sum(not is_known(pair) for pair in pairs)
    return Part(
        name="pairs",
        title=headline(pairs, titles),
        how="Rank correlation: 1 is the same order, 0 no relation, −1 the reverse. Below each value: its 95 % "
        f"interval and the number of shared models. Grey: the interval includes 0. Striped: fewer than {FEWEST} models "
        "in common. Press a cell to see the models. Correlation is not causation.",
        formula=FORMULA,
        source=f"{counted(len(titles), 'measure')}, {counted(len(pairs), 'pair')}; {few} share fewer than {FEWEST} "
        "models.",
        table=Table(PAIRS, tuple(table_row(pair, titles) for pair in by_agreement(pairs))),
        matrix=matrix_of(value, titles),
    )


def table_row(pair: Mapping[str, Any], titles: Sequence[str]) -> tuple[Any, ...]:
    most = [] if not is_known(pair) else extremes(ranked(pair), 1)
    words = "; ".join(f"{each.name} ({each.first_rank} → {each.second_rank})" for each in most)
    numbers = (pair.get("rho"), pair.get("low"), pair.get("high"))
    return (*names_of(pair, titles), pair["n"], *numbers, verdict(pair), words, pair["n_approx"])


def matrix_of(value: Mapping[str, Any], titles: Sequence[str]) -> Matrix:
    by_place = {(pair["first"], pair["second"]): pair for pair in value["pairs"]}
    n = len(titles)
    return Matrix(
        heads=tuple((measure["title"], measure["n"]) for measure in value["measures"][:-1]),
        rows=tuple(
            MatrixRow(titles[row], tuple(cell_of(by_place[at, row], titles) for at in range(row)), n - 1 - row)
            for row in range(1, n)
        ),
    )


def cell_of(pair: Mapping[str, Any], titles: Sequence[str]) -> Cell:
    first, second = names_of(pair, titles)
    if not is_known(pair):
        return Cell("few", f"{first} and {second}: {verdict(pair)}", pair["n"])
    interval = span(pair["low"], pair["high"], DIGITS)
    rho = number(pair["rho"], DIGITS)
    words = f"{first} and {second}: {rho}, 95 % interval {interval}, {counted(pair['n'], 'model')}, {verdict(pair)}"
    return Cell(shade(pair), words, pair["n"], rho, interval, anchor(pair))


def ranked(pair: Mapping[str, Any]) -> list[Ranked]:
    return [Ranked(*row) for row in pair["models"]]


def extremes(models: Sequence[Ranked], n: int) -> list[Ranked]:
    """The `n` models that do best on the second measure for their place on the first, and the `n` that do worst; none
    that has the same rank on both."""
    ordered = sorted(models, key=lambda each: (each.second_rank - each.first_rank, each.name))
    better = [each for each in ordered[:n] if each.second_rank < each.first_rank]
    worse = [each for each in reversed(ordered[-n:]) if each.second_rank > each.first_rank]
    return [*better, *worse]


def models_part(pairs: Sequence[Mapping[str, Any]], titles: Sequence[str], axes: Sequence[str]) -> Part:
    rows = [
        (*names_of(pair, titles), each.name, each.first, each.second, each.first_rank, each.second_rank)
        for pair in pairs
        for each in ranked(pair)
    ]
    return Part(
        name="models",
        title="The models behind each pair, and where they disagree most",
        how="Each dot is a model. Named: those on which the two measures disagree most. In the tables the dot is the "
        "rank on the first measure and the ring that on the second, among the models that have both.",
        formula="Ranks are among the shared models; equal scores share a rank. Named: the three largest differences "
        "of ranks in each direction.",
        source=f"{counted(len(pairs), 'pair')} with at least {FEWEST} shared models, the closest agreement first.",
        table=Table(MODELS, tuple(rows)),
        pairs=tuple(view_of(pair, titles, axes) for pair in pairs),
    )


def view_of(pair: Mapping[str, Any], titles: Sequence[str], axes: Sequence[str]) -> PairView:
    models, (first, second) = ranked(pair), names_of(pair, titles)
    most = extremes(models, NAMED)
    spots = [
        Spot(
            each.first,
            each.second,
            "stress" if each in most else "plain",
            f"{each.name}: {each.first:g}, {each.second:g}",
            each.name if each in most else "",
        )
        for each in sorted(models, key=lambda each: each in most)
    ]
    approximate = f", {pair['n_approx']} of them matched to the nearest version" if pair["n_approx"] else ""
    return PairView(
        anchor=anchor(pair),
        first=first,
        second=second,
        sentence=f"{number(pair['rho'], DIGITS)} ({span(pair['low'], pair['high'], DIGITS)}), "
        f"{counted(pair['n'], 'model')}{approximate}: {verdict(pair)}",
        picture=picture(
            spots,
            f"{second} against {first}, one dot per model. The CSV above holds the figures.",
            axes[pair["first"]],
            axes[pair["second"]],
        ),
        differences=tuple(difference(each, len(models)) for each in most),
    )


def difference(model: Ranked, n: int) -> Difference:
    def at(rank: int) -> float:
        return 100 * (n - rank) / (n - 1)

    dot, ring = at(model.first_rank), at(model.second_rank)
    return Difference(model, percent(dot), percent(ring), percent(min(dot, ring)), percent(max(dot, ring)))
