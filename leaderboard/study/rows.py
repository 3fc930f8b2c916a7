"""The rows of a result page's tables, as text, from the statistics. No query, no request."""

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.statistics.contingency import TableTest
from evaluation.statistics.emotion_labels import VALENCE
from evaluation.statistics.study_figures import LEAST_RATERS, Emotion, Group, Line, Pair, Scope, Study
from leaderboard.rounding import MINUS, MISSING, count, number, percent
from leaderboard.study.drawing import Bar, Mark, mark, share_bar
from leaderboard.study.wording import bar_words, p_words

FISHER = "Fisher's exact test"
VALENCES = {"positive": "Positive", "negative": "Negative"}


@dataclass(frozen=True, slots=True)
class Row:
    """One responder. All figures are text; an en dash where there is none. `note` is basis and state."""

    label: str
    note: str
    letters: str
    n: str
    raters: str
    bad: str
    okay: str
    good: str
    share: str
    interval: str
    is_over_raters: bool
    has_too_little: bool
    gain: str
    points: str
    test: str
    p: str
    p_adjusted: str
    stars: str
    v: str
    v_words: str
    by_rater: str
    length: str
    bar: Bar
    words: str


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """`kind` is apart, same, none (no test), diag or blank."""

    kind: str
    p: str


@dataclass(frozen=True, slots=True)
class MatrixRow:
    label: str
    cells: tuple[MatrixCell, ...]


@dataclass(frozen=True, slots=True)
class EmotionRow:
    name: str
    people: Mark
    model: Mark | None
    is_clear: bool
    n: str
    people_share: str
    model_share: str
    gain: str
    p: str
    p_adjusted: str


@dataclass(frozen=True, slots=True)
class EmotionTable:
    title: str
    rows: tuple[EmotionRow, ...]


def row(line: Line, group: Group | None, pair: Pair | None, label: str, length: str) -> Row:
    """`pair` is this responder less the reference; None for the reference itself."""
    test = pair.good if pair else None
    by_rater = pair.by_rater.welch if pair and pair.by_rater else None
    return Row(
        label=label,
        note=_note(line, group),
        letters=" ".join(line.letters) or MISSING,
        n=count(line.n),
        raters=count(group.n_raters if group else None),
        bad=count(line.bad),
        okay=count(line.okay),
        good=count(line.good),
        share=f"{number(100 * line.share, 2)} %",
        interval=f"{number(100 * line.interval.low, 1)} to {number(100 * line.interval.high, 1)}",
        is_over_raters=line.interval_method != "Wilson",
        has_too_little=line.has_too_little,
        gain=signed_percent(line.gain),
        points=signed(line.points, 2),
        test=_test(pair),
        p=p_words(pair.p if pair else None),
        p_adjusted=p_words(pair.p_adjusted if pair else None),
        stars=pair.stars if pair else "",
        v=number(test.v if test else None, 3),
        v_words=test.v_words if test else "",
        by_rater=p_words(by_rater.p) if by_rater else MISSING,
        length=length,
        bar=share_bar(line.good, line.n, line.okay, line.bad, line.interval),
        words=bar_words(line, label),
    )


def _note(line: Line, group: Group | None) -> str:
    notes = [line.basis] if line.basis else []
    notes += [f"preliminary: fewer than {LEAST_RATERS} raters"] if group and group.is_preliminary else []
    return ", ".join(notes)


def signed(value: float | None, digits: int) -> str:
    text = number(value, digits)
    return text if value is None or text.startswith(MINUS) else f"+{text}"


def signed_percent(value: float | None) -> str:
    return MISSING if value is None else f"{signed(value, 1)} %"


def _test(pair: Pair | None) -> str:
    """The chi-square with Yates' correction, or the name of the test that stands in its place."""
    if pair is None or pair.good is None:
        return MISSING
    return "Fisher" if pair.good.method == FISHER else number(pair.good.chi_square_yates, 2)


def omnibus(scope: Scope) -> str:
    test = scope.omnibus.test
    if test is None or test.p is None:
        return f"All at once: no test, {scope.omnibus.reason}."
    return f"All at once ({scope.omnibus.levels}): {_figures(test)}, p {p_words(test.p)}, V {number(test.v, 3)}."


def _figures(test: TableTest) -> str:
    """The test that the p comes from: of two responders by two levels it is not the plain chi-square."""
    if test.method == FISHER:
        return FISHER
    shown = test.chi_square if test.chi_square_yates is None else test.chi_square_yates
    corrected = "" if test.chi_square_yates is None else " with Yates’ correction"
    return f"χ² {number(shown, 2)}{corrected}, df {test.df}"


def matrix(scope: Scope, labels: Mapping[str, str]) -> tuple[MatrixRow, ...]:
    """The lower triangle of the pairs: each responder but the first against those above it."""
    names = [line.responder for line in scope.lines]
    pairs = {frozenset((pair.first, pair.second)): pair for pair in scope.pairs}
    return tuple(
        MatrixRow(labels[name], tuple(_matrix_cell(name, other, at, pairs) for other in enumerate(names[:-1])))
        for at, name in enumerate(names)
        if at
    )


def _matrix_cell(name: str, other: tuple[int, str], at: int, pairs: Mapping[frozenset[str], Pair]) -> MatrixCell:
    place, column = other
    if place >= at:
        return MatrixCell("diag" if place == at else "blank", "")
    pair = pairs[frozenset((name, column))]
    if pair.p_adjusted is None:
        return MatrixCell("none", MISSING)
    return MatrixCell("apart" if pair.differs else "same", p_words(pair.p_adjusted))


def emotion_tables(study: Study, scope: str, model: str) -> tuple[EmotionTable, ...]:
    """By valence, the largest lead of the model first; emotions without a figure of the model last."""
    tables = []
    for valence, title in VALENCES.items():
        found = [emotion for emotion in study.emotions if VALENCE[emotion.name] == valence]
        if found and scope in ("all", valence):
            rows = [_emotion_row(emotion, model) for emotion in sorted(found, key=lambda each: _lead(each, model))]
            clear, known = sum(row.is_clear for row in rows), sum(row.model is not None for row in rows)
            of = f"{len(rows)} emotions" if known == len(rows) else f"{known} of {len(rows)} emotions known"
            tables.append(EmotionTable(f"{title}: {of}, {clear or 'none'} significant after correction", tuple(rows)))
    return tuple(tables)


def _line_of(emotion: Emotion, responder: str) -> Line | None:
    return next((line for line in emotion.lines if line.responder == responder), None)


def _lead(emotion: Emotion, model: str) -> tuple[bool, float, str]:
    line = _line_of(emotion, model)
    lead = line.points if line and line.points is not None else 0.0
    return line is None, -lead, emotion.name


def _emotion_row(emotion: Emotion, model: str) -> EmotionRow:
    people, line = emotion.lines[0], _line_of(emotion, model)
    pair = next((pair for pair in emotion.against_reference if pair.first == model), None)
    return EmotionRow(
        name=emotion.name,
        people=mark(people.share, people.interval),
        model=mark(line.share, line.interval) if line else None,
        is_clear=pair is not None and pair.differs,
        n=count(people.n) if line is None or line.n == people.n else f"{count(people.n)} and {count(line.n)}",
        people_share=percent(people.share),
        model_share=percent(line.share if line else None),
        gain=signed_percent(line.gain if line else None),
        p=p_words(pair.p if pair else None),
        p_adjusted=p_words(pair.p_adjusted if pair else None),
    )
