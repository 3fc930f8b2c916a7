"""What the result page of a study shows: one scope, and one model for the emotions. No query, no request."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from statistics import median_low

from evaluation.statistics.contingency import table_test
from evaluation.statistics.study_figures import LEVEL, Pair, Scope
from leaderboard.rounding import MISSING, count, counted
from leaderboard.study.drawing import axis
from leaderboard.study.methods import Method, MethodFacts, methods
from leaderboard.study.results import Result
from leaderboard.study.rows import EmotionTable, MatrixRow, Row, emotion_tables, matrix, omnibus, row
from leaderboard.study.waves import WaveNote, wave_notes
from leaderboard.study.wording import (
    by_rater_note,
    finding,
    lede,
    number_word,
    numbers_of_ratings,
    split_note,
    standing,
)

SCOPES = {"all": "All", "positive": "Positive", "negative": "Negative"}
TICKS = (0.25, 0.5, 0.75, 1.0)
RULE = "rule"
"""The value of `raters` in the address that leaves out raters whom the exclusion rule excludes."""


@dataclass(frozen=True, slots=True)
class Material:
    """What a result page is made of. `lengths` has the mean length of a responder's replies and its unit.

    `rule` is the exclusion rule in words, "" where the study has none; `with_rule` says whether it was applied.
    """

    slug: str
    title: str
    result: Result
    with_rule: bool
    rule: str
    computed_on: str
    lengths: Mapping[str, tuple[str, str]]
    items_per_rater: int
    ratings_per_reply: int
    baseline_note: str
    citation: str
    notes: Mapping[str, str]
    licence: str


@dataclass(frozen=True, slots=True)
class Tab:
    """`query` is the address's part behind the question mark; "" for what is shown without one."""

    label: str
    query: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class Tick:
    x: str
    label: str


@dataclass(frozen=True, slots=True)
class StudyPage:
    """`n_pairs` is "" where no pair was tested. `people_x` is where the line of the reference's share runs through the
    bars. `models` have a test of an emotion at least. `n_known`: emotions with a figure of the model `model`, of
    `n_tests` that its correction counts. `n_cell` says how many ratings an emotion has; `least_gain` is the smallest
    share that reaches p < .05 with so many, from a base of 50 %. `by_rater` says what intervals and tests rest on."""

    slug: str
    scope: str
    title: str
    headline: str
    lede: str
    standing: str
    tabs: tuple[Tab, ...]
    raters: tuple[Tab, ...]
    rows: tuple[Row, ...]
    people: str
    people_x: str
    n: str
    split: str
    omnibus: str
    n_pairs: str
    columns: tuple[str, ...]
    matrix: tuple[MatrixRow, ...]
    model: str
    models: tuple[Tab, ...]
    emotions: tuple[EmotionTable, ...]
    n_known: int
    n_tests: int
    has_emotions: bool
    n_cell: str
    least_gain: str
    ticks: tuple[Tick, ...]
    waves: tuple[WaveNote, ...]
    methods: tuple[Method, ...]
    citation: str
    computed_on: str
    by_rater: str
    are_wilson: bool
    length_unit: str


def study_page(material: Material, scope: str = "all", model: str = "") -> StudyPage:
    """The page; an unknown scope or model counts as not asked for."""
    return _Page(material, scope, model).built()


class _Page:
    """One choice of scope and model."""

    def __init__(self, material: Material, scope: str, model: str) -> None:
        self.material, self.result = material, material.result
        self.study, self.labels = self.result.statistics, self.result.labels
        self.scopes = {each.name: each for each in self.study.scopes}
        self.scope = scope if scope in self.scopes else "all"
        self.shown = self.scopes[self.scope]
        lines = self.scopes["all"].lines[1:]
        self.models = [line.responder for line in lines if self.study.n_tests.get(line.responder)]
        self.model = model if model in self.models else next(iter(self.models), "")
        self.groups = {group.responder: group for group in self.study.groups}

    def built(self) -> StudyPage:
        people = self.shown.lines[0]
        emotions = emotion_tables(self.study, self.scope, self.model) if self.model else ()
        reference = self.labels[self.study.reference]
        rows, in_cell = tuple(self._rows()), self._in_cell()
        return StudyPage(
            slug=self.material.slug,
            scope=self.scope,
            title=f"{self.material.title}, {self.scope}",
            headline=finding(self.shown, self.labels, self._preliminary()),
            lede=self._lede(),
            standing=standing(list(self._against().values()), self.labels, reference),
            tabs=self._scope_tabs(),
            raters=self._rater_tabs(),
            rows=rows,
            people=reference,
            people_x=f"{100 * people.share:.2f}%",
            n=numbers_of_ratings(self.shown.lines),
            split=split_note(self.shown.lines),
            omnibus=omnibus(self.shown),
            n_pairs=_n_pairs(self.shown),
            columns=tuple(self.labels[line.responder] for line in self.shown.lines[:-1]),
            matrix=matrix(self.shown, self.labels),
            model=self.labels.get(self.model, ""),
            models=tuple(Tab(self.labels[each], self._query(model=each), each == self.model) for each in self.models),
            emotions=emotions,
            n_known=sum(each.model is not None for table in emotions for each in table.rows),
            n_tests=self.study.n_tests.get(self.model, 0),
            has_emotions=bool(self.study.emotions),
            n_cell=self._cell_words(*in_cell),
            least_gain=least_gain(*in_cell),
            ticks=tuple(Tick(axis(share), f"{100 * share:.0f}" + (" %" if share == 1 else "")) for share in TICKS),
            waves=wave_notes(self.result),
            methods=methods(self._facts(), self.material.notes),
            citation=self.material.citation,
            computed_on=self.material.computed_on,
            by_rater=by_rater_note(
                has_intervals=any(each.is_over_raters for each in rows),
                has_tests=any(each.by_rater != MISSING for each in rows),
            ),
            are_wilson=all(line.interval_method == "Wilson" for each in self.study.emotions for line in each.lines),
            length_unit=self._unit(),
        )

    def _in_cell(self) -> tuple[int, int]:
        """How many ratings of people and of the model an emotion has, in the middle of the emotions."""
        found = [{line.responder: line.n for line in emotion.lines} for emotion in self.study.emotions]
        both = [each for each in found if self.model in each] or found
        people = median_low([each[self.study.reference] for each in both] or [0])
        return people, median_low([each[self.model] for each in both if self.model in each] or [people])

    def _cell_words(self, people: int, model: int) -> str:
        if people == model:
            return f"{counted(people, 'rating')} a cell"
        names = (self.labels[self.study.reference], self.labels.get(self.model, ""))
        return f"{counted(people, 'rating')} a cell of {names[0]} and {count(model)} of {names[1]}"

    def _preliminary(self) -> frozenset[str]:
        return frozenset(group.responder for group in self.study.groups if group.is_preliminary)

    def _against(self) -> Mapping[str, Pair]:
        return {pair.first: pair for pair in self.shown.pairs if pair.second == self.study.reference}

    def _rows(self) -> list[Row]:
        against, lengths = self._against(), self.material.lengths
        return [
            row(
                line,
                self.groups.get(line.responder),
                against.get(line.responder),
                self.labels[line.responder],
                self._length(lengths.get(self.result.responders[line.responder])),
            )
            for line in self.shown.lines
        ]

    def _unit(self) -> str:
        """Of all lengths; "" where they have several, which are then named in each cell."""
        units = {unit for _, unit in self.material.lengths.values()}
        return units.pop() if len(units) == 1 else ""

    def _length(self, found: tuple[str, str] | None) -> str:
        if found is None:
            return MISSING
        return found[0] if self._unit() else " ".join(found)

    def _lede(self) -> str:
        lines = self.scopes["all"].lines
        numbers = [self.groups[line.responder].n_raters for line in lines]
        known = [number for number in numbers if number is not None]
        n_raters = sum(known) if len(known) == len(numbers) else None
        people = self.labels[self.study.reference]
        note = (
            self.material.baseline_note
            or f"“{people}” stands for those who replied in this study, not for people as such."
        )
        return f"{lede(n_raters, sum(line.n for line in lines))} {note}"

    def _facts(self) -> MethodFacts:
        return MethodFacts(
            study=self.study,
            labels=self.labels,
            items_per_rater=self.material.items_per_rater,
            ratings_per_reply=self.material.ratings_per_reply,
            rule=self.material.rule,
            with_rule=self.material.with_rule,
            licence=self.material.licence,
        )

    def _query(self, *, scope: str | None = None, model: str | None = None, with_rule: bool | None = None) -> str:
        wanted_scope, wanted_model = scope or self.scope, model or self.model
        rule = self.material.with_rule if with_rule is None else with_rule
        asked = [f"scope={wanted_scope}"] if wanted_scope != "all" else []
        asked += [f"model={wanted_model}"] if self.models and wanted_model != self.models[0] else []
        asked += [f"raters={RULE}"] if rule else []
        return "&".join(asked)

    def _scope_tabs(self) -> tuple[Tab, ...]:
        tabs = []
        for name, label in SCOPES.items():
            if name in self.scopes:
                numbers = {line.n for line in self.scopes[name].lines}
                n = f", {count(numbers.pop())} ratings each" if len(numbers) == 1 else ""
                tabs.append(Tab(f"{label}{n}", self._query(scope=name), name == self.scope))
        return tuple(tabs) if len(tabs) > 1 else ()

    def _rater_tabs(self) -> tuple[Tab, ...]:
        if not self.material.rule:
            return ()
        choices = {False: "All raters", True: "Without those whom the rule excludes"}
        return tuple(
            Tab(label, self._query(with_rule=choice), choice == self.material.with_rule)
            for choice, label in choices.items()
        )


def _n_pairs(scope: Scope) -> str:
    n = sum(pair.p_adjusted is not None and pair.family == "ranking" for pair in scope.pairs)
    return f"{number_word(n)} {'pair' if n == 1 else 'pairs'}" if n else ""


@lru_cache(maxsize=256)
def least_gain(people: int, model: int) -> str:
    """The smallest share above one half that is significant by itself with so many ratings on the sides, as "70 %"."""
    base = people // 2
    for good in range(model // 2 + 1, model + 1):
        test = table_test([(people - base, base), (model - good, good)])
        if test.p is not None and test.p < LEVEL:
            return f"{round(10 * good / model) * 10:.0f} %"
    return ""
