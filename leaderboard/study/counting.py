"""The counts that a study's results rest on: stored ones, and those of the ratings in groups that are closed.

A responder's own line has its stored counts, or else its first closed group. Each later group of the same responder
has a line of its own, so that no cell mixes raters of two waves or counts of two origins.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.statistics.raters import Raters, raters_of
from evaluation.statistics.study_figures import ALL, Cell
from leaderboard.study.flags import is_excluded
from leaderboard.study.models import AggregateCount, Group, Participation, Rating, Response, Study
from leaderboard.study.states import Basis, GroupState, Level, ParticipationSource, ParticipationState

Cells = Mapping[str, Sequence[Cell]]
_LIVE: Mapping[str, str] = {
    ParticipationSource.LIVE: Basis.LIVE,
    ParticipationSource.IMPORTED: Basis.IMPORTED,
}


@dataclass(frozen=True, slots=True)
class Source:
    """Whose counts a line has. `wave` is 0 for stored counts; `responder` is the key of the responder."""

    key: str
    responder: str
    label: str
    wave: int
    is_baseline: bool


@dataclass(frozen=True, slots=True)
class Counts:
    """All lines of a study. `reference` is "" where the baseline has no counts yet, and then nothing is compared.

    `controls` has, by wave, the line of the baseline's later group.
    """

    reference: str
    sources: Mapping[str, Source]
    cells: Cells
    n_raters: Mapping[str, int]
    controls: Mapping[int, str]

    @property
    def main(self) -> Cells:
        """Without the controls, which are compared apart."""
        return self._of(set(self.sources) - set(self.controls.values()))

    def of_wave(self, wave: int) -> Cells:
        """The control of a wave and the models that were rated in it."""
        keys = {key for key, source in self.sources.items() if source.wave == wave and not source.is_baseline}
        return self._of(keys | {self.controls[wave]})

    def _of(self, keys: set[str]) -> Cells:
        chosen = {scope: [cell for cell in cells if cell.responder in keys] for scope, cells in self.cells.items()}
        return {scope: cells for scope, cells in chosen.items() if cells}


def counts_of(study: Study, *, with_rule: bool) -> Counts:
    """What the results of a study are computed from. Eight queries at most; ratings are read once.

    Args:
        with_rule: Whether raters whom the study's exclusion rule excludes are left out.
    """
    responders = list(study.responders.order_by("pk"))
    found = _Found()
    stored = _stored(study)
    for responder in responders:
        if responder.pk in stored:
            found.add_stored(Source(responder.key, responder.key, responder.label, 0, responder.is_baseline),
                             stored[responder.pk])  # fmt: skip
    rated = _rated(study, with_rule=with_rule)
    for group in study.groups.filter(state=GroupState.CLOSED).select_related("responder").order_by("wave", "pk"):
        if group.pk in rated:
            found.add_rated(group, rated[group.pk])
    return found.counts()


@dataclass
class _Found:
    sources: dict[str, Source] = field(default_factory=dict)
    cells: dict[str, list[Cell]] = field(default_factory=lambda: defaultdict(list))
    n_raters: dict[str, int] = field(default_factory=dict)

    def add_stored(self, source: Source, counts: Iterable[AggregateCount]) -> None:
        self.sources[source.key] = source
        for count in counts:
            self.cells[count.scope].append(
                Cell(source.key, count.n, count.good, count.bad, count.okay, _raters(count), count.basis)
            )
            if count.n_raters is not None:
                self.n_raters[source.key] = count.n_raters

    def add_rated(self, group: Group, tally: "_Tally") -> None:
        source = self._source(group)
        self.sources[source.key] = source
        for scope, cell in tally.cells(source.key):
            self.cells[scope].append(cell)

    def _source(self, group: Group) -> Source:
        responder = group.responder
        if responder.key not in self.sources:
            return Source(responder.key, responder.key, responder.label, group.wave, responder.is_baseline)
        label = f"{responder.label}, wave {group.wave}"
        return Source(f"{responder.key} {group.wave}", responder.key, label, group.wave, responder.is_baseline)

    def counts(self) -> Counts:
        own = [source for source in self.sources.values() if source.is_baseline]
        reference = own[0].key if own else ""
        controls = {source.wave: source.key for source in own[1:]}
        return Counts(reference, self.sources, dict(self.cells), self.n_raters, controls)


def _stored(study: Study) -> dict[int, list[AggregateCount]]:
    found: dict[int, list[AggregateCount]] = defaultdict(list)
    for count in study.counts.order_by("pk"):
        found[count.responder_id].append(count)
    return found


def _raters(count: AggregateCount) -> Raters | None:
    """From lists of [ratings, Good, raters], where such sums are stored beside the count."""
    if not count.raters:
        return None
    good = [own for _, own, raters in count.raters for _ in range(raters)]
    n = [ratings for ratings, _, raters in count.raters for _ in range(raters)]
    return raters_of(good, n)


@dataclass
class _Tally:
    """The ratings of one group: by scope the levels, and by scope and rater the number of Good and of all.

    `knows_raters` is False for imported ratings of which nobody knows who gave them.
    """

    basis: str
    knows_raters: bool
    levels: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0, 0]))
    raters: dict[str, dict[int, list[int]]] = field(default_factory=lambda: defaultdict(dict))

    def add(self, scopes: Iterable[str], rater: int, value: int) -> None:
        for scope in scopes:
            self.levels[scope][value - Level.BAD] += 1
            own = self.raters[scope].setdefault(rater, [0, 0])
            own[0] += value == Level.GOOD
            own[1] += 1

    def cells(self, key: str) -> Iterable[tuple[str, Cell]]:
        for scope, (bad, okay, good) in self.levels.items():
            # Sorted, so that the order of the rows does not show in the last digits of sums.
            own = sorted(self.raters[scope].values())
            raters = raters_of([number for number, _ in own], [n for _, n in own]) if self.knows_raters else None
            yield scope, Cell(key, bad + okay + good, good, bad, okay, raters, self.basis)


def _rated(study: Study, *, with_rule: bool) -> dict[int, _Tally]:
    """Group -> its tally, of groups that are closed and participations that are done.

    Four plain queries: as one over six tables, PostgreSQL can take minutes where it has no statistics of them yet.
    """
    excluded = _excluded(study) if with_rule else frozenset()
    done = study.participations.filter(state=ParticipationState.DONE, group__state=GroupState.CLOSED)
    known = {own.pk: own for own in done.only("group_id", "source", "rater_hash") if own.pk not in excluded}
    items = {item.pk: item.prompt for item in study.items.select_related("prompt")}
    replies = dict(Response.objects.filter(responder__study=study).values_list("pk", "item_id"))
    ratings = Rating.objects.filter(participation__study=study)
    tallies: dict[int, _Tally] = {}
    for rater, reply, value in ratings.values_list("participation_id", "response_id", "value").iterator():
        if rater in known:
            own, prompt = known[rater], items[replies[reply]]
            new = _Tally(_LIVE[own.source], knows_raters=own.rater_hash is not None)
            tallies.setdefault(own.group_id, new).add((ALL, prompt.valence, prompt.emotion), rater, value)
    return tallies


def _excluded(study: Study) -> frozenset[int]:
    """Participations that have all the flags of the study's exclusion rule; none where there is no rule."""
    if not study.exclusion_rule:
        return frozenset()
    done = Participation.objects.filter(study=study, state=ParticipationState.DONE).exclude(flags=[])
    return frozenset(pk for pk, flags in done.values_list("pk", "flags") if is_excluded(flags, study.exclusion_rule))
