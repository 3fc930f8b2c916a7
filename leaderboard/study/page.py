"""What the page of the published study shows: one scope, and one model for the emotions. No query, no request."""

from dataclasses import dataclass
from functools import cache

from evaluation.statistics.emotion_labels import VALENCE
from evaluation.statistics.responders import Emotion, Group, Line, Pair, Scope, Study
from leaderboard.rounding import MINUS, MISSING, count, number, percent
from leaderboard.study.drawing import Bar, Mark, axis, mark, share_bar
from leaderboard.study.published import REFERENCE, RESPONDERS, published_study
from leaderboard.study.wording import bar_words, headline, p_words, standing

SCOPES = {"all": "All", "positive": "Positive", "negative": "Negative"}
VALENCES = {"positive": "Positive", "negative": "Negative"}
LABELS = {name: responder.label for name, responder in RESPONDERS.items()}
MODELS = tuple(name for name in RESPONDERS if name != REFERENCE)
TICKS = (0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True)
class Tab:
    """`query` is the address's part behind the question mark; "" for what is shown without one."""

    label: str
    query: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One responder. All figures are text; an en dash where there is none."""

    label: str
    basis: str
    letters: str
    n: str
    raters: str
    bad: str
    okay: str
    good: str
    share: str
    interval: str
    is_over_raters: bool
    gain: str
    points: str
    test: str
    p: str
    p_adjusted: str
    stars: str
    v: str
    v_words: str
    by_rater: str
    tokens: str
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


@dataclass(frozen=True, slots=True)
class Tick:
    x: str
    label: str


@dataclass(frozen=True, slots=True)
class StudyPage:
    """`people_x` is where the line of people's share runs through the bars. `n_known`: emotions with a published
    figure of the model `model`, of `n_tests` that its correction counts."""

    scope: str
    title: str
    headline: str
    standing: str
    tabs: tuple[Tab, ...]
    rows: tuple[Row, ...]
    people_x: str
    n: str
    omnibus: str
    columns: tuple[str, ...]
    matrix: tuple[MatrixRow, ...]
    model: str
    models: tuple[Tab, ...]
    emotions: tuple[EmotionTable, ...]
    n_known: int
    n_tests: int
    ticks: tuple[Tick, ...]
    people_effect: str
    model_effect: str
    welch: str


def study_page(scope: str = "all", model: str = MODELS[0]) -> StudyPage:
    """The page; an unknown scope or model counts as not asked for."""
    return _page(scope if scope in SCOPES else "all", model if model in MODELS else MODELS[0])


@cache
def _page(scope: str, model: str) -> StudyPage:
    study = published_study()
    shown = next(each for each in study.scopes if each.name == scope)
    people, best = shown.lines[0], shown.lines[1]
    against = {pair.first: pair for pair in shown.pairs if pair.second == REFERENCE}
    emotions = _emotions(study, scope, model)
    return StudyPage(
        scope=scope,
        title=f"Empathetic replies, {scope}",
        headline=headline(scope, best, against[best.responder], people, LABELS[best.responder]),
        standing=standing(list(against.values()), LABELS),
        tabs=_scope_tabs(study, scope, model),
        rows=tuple(_row(line, study, against.get(line.responder)) for line in shown.lines),
        people_x=f"{100 * people.share:.2f}%",
        n=count(people.n),
        omnibus=_omnibus(shown),
        columns=tuple(LABELS[line.responder] for line in shown.lines[:-1]),
        matrix=_matrix(shown),
        model=LABELS[model],
        models=tuple(_model_tab(each, scope, model) for each in MODELS),
        emotions=emotions,
        n_known=sum(row.model is not None for table in emotions for row in table.rows),
        n_tests=study.n_tests[model],
        ticks=tuple(Tick(axis(share), f"{100 * share:.0f}" + (" %" if share == 1 else "")) for share in TICKS),
        people_effect=number(_group(study, REFERENCE).design_effect, 1),
        model_effect=number(_group(study, MODELS[0]).design_effect, 1),
        welch=_welch(study),
    )


def _group(study: Study, responder: str) -> Group:
    return next(group for group in study.groups if group.responder == responder)


def _welch(study: Study) -> str:
    """The t of the one pair of which both groups of raters are known."""
    pairs = [pair for pair in study.scopes[0].pairs if pair.by_rater is not None and pair.by_rater.welch is not None]
    return number(pairs[0].by_rater.welch.t, 1) if pairs and pairs[0].by_rater and pairs[0].by_rater.welch else MISSING


def _query(scope: str, model: str) -> str:
    asked = [f"scope={scope}"] if scope != "all" else []
    asked += [f"model={model}"] if model != MODELS[0] else []
    return "&".join(asked)


def _scope_tabs(study: Study, current: str, model: str) -> tuple[Tab, ...]:
    n = {scope.name: count(scope.lines[0].n) for scope in study.scopes}
    unit = {"all": " prompts"}
    return tuple(
        Tab(f"{label}, {n[name]}{unit.get(name, '')}", _query(name, model), name == current)
        for name, label in SCOPES.items()
    )


def _model_tab(model: str, scope: str, current: str) -> Tab:
    return Tab(LABELS[model], _query(scope, model), model == current)


def _row(line: Line, study: Study, pair: Pair | None) -> Row:
    responder, test = RESPONDERS[line.responder], pair.good if pair else None
    by_rater = pair.by_rater.welch if pair and pair.by_rater else None
    return Row(
        label=responder.label,
        basis=line.basis,
        letters=" ".join(line.letters) or MISSING,
        n=count(line.n),
        raters=count(_group(study, line.responder).n_raters),
        bad=count(line.bad),
        okay=count(line.okay),
        good=count(line.good),
        share=f"{number(100 * line.share, 2)} %",
        interval=f"{number(100 * line.interval.low, 1)} to {number(100 * line.interval.high, 1)}",
        is_over_raters=line.interval_method != "Wilson",
        gain=f"{_signed(line.gain, 1)} %" if line.gain is not None else MISSING,
        points=_signed(line.points, 2),
        test=_test(pair),
        p=p_words(pair.p if pair else None),
        p_adjusted=p_words(pair.p_adjusted if pair else None),
        stars=pair.stars if pair else "",
        v=number(test.v if test else None, 3),
        v_words=test.v_words if test else "",
        by_rater=p_words(by_rater.p) if by_rater else MISSING,
        tokens=number(responder.tokens, 1),
        bar=share_bar(line.good, line.n, line.okay, line.bad, line.interval),
        words=bar_words(line, responder),
    )


def _signed(value: float | None, digits: int) -> str:
    text = number(value, digits)
    return text if value is None or text.startswith(MINUS) else f"+{text}"


def _test(pair: Pair | None) -> str:
    """The chi-square with Yates' correction, or the name of the test that stands in its place."""
    if pair is None or pair.good is None:
        return MISSING
    return "Fisher" if pair.good.method == "Fisher's exact test" else number(pair.good.chi_square_yates, 2)


def _omnibus(scope: Scope) -> str:
    test = scope.omnibus.test
    if test is None or test.p is None:
        return f"All at once: no test, {scope.omnibus.reason}."
    figures = f"χ² {number(test.chi_square, 2)}, df {test.df}, p {p_words(test.p)}, V {number(test.v, 3)}"
    return f"All at once ({scope.omnibus.levels}): {figures}."


def _matrix(scope: Scope) -> tuple[MatrixRow, ...]:
    """The lower triangle of the pairs: each responder but the first against those above it."""
    names = [line.responder for line in scope.lines]
    pairs = {frozenset((pair.first, pair.second)): pair for pair in scope.pairs}
    return tuple(
        MatrixRow(LABELS[name], tuple(_matrix_cell(name, other, at, pairs) for other in enumerate(names[:-1])))
        for at, name in enumerate(names)
        if at
    )


def _matrix_cell(name: str, other: tuple[int, str], at: int, pairs: dict[frozenset[str], Pair]) -> MatrixCell:
    place, column = other
    if place >= at:
        return MatrixCell("diag" if place == at else "blank", "")
    pair = pairs[frozenset((name, column))]
    if pair.p_adjusted is None:
        return MatrixCell("none", MISSING)
    return MatrixCell("apart" if pair.differs else "same", p_words(pair.p_adjusted))


def _emotions(study: Study, scope: str, model: str) -> tuple[EmotionTable, ...]:
    """By valence, the largest lead of the model first; emotions without a figure of the model last."""
    tables = []
    for valence, title in VALENCES.items():
        if scope in ("all", valence):
            found = [emotion for emotion in study.emotions if VALENCE[emotion.name] == valence]
            rows = [_emotion_row(emotion, model) for emotion in sorted(found, key=lambda each: _lead(each, model))]
            clear, known = sum(row.is_clear for row in rows), sum(row.model is not None for row in rows)
            of = f"{len(rows)} emotions" if known == len(rows) else f"{known} of {len(rows)} emotions known"
            tables.append(EmotionTable(f"{title}: {of}, {clear or 'none'} clear after correction", tuple(rows)))
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
        n=count(people.n),
        people_share=percent(people.share),
        model_share=percent(line.share if line else None),
        gain=f"{_signed(line.gain, 1)} %" if line and line.gain is not None else MISSING,
        p=p_words(pair.p if pair else None),
        p_adjusted=p_words(pair.p_adjusted if pair else None),
    )
