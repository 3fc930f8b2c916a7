"""The study of empathetic responding: how often people rate the replies of each responder Good, and who differs.

Pure: may not import Django, HTTP or a clock. Chance is seeded by the caller.

Each rater rates the replies of one responder only, so responders are independent groups. A scope is a set of prompts:
all, those of one valence, or those of one emotion. A cell is what one responder got in one scope. All shares are from
0 to 1, gains in per cent and differences in percentage points.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from zlib import crc32

from evaluation.statistics.contingency import cohens_h, table_test, wilson_interval, words_of_h
from evaluation.statistics.corrections import benjamini_hochberg, holm
from evaluation.statistics.emotion_labels import VALENCE
from evaluation.statistics.intervals import percentile_interval
from evaluation.statistics.letters import compact_letters
from evaluation.statistics.normal import Interval
from evaluation.statistics.raters import (
    DRAWS,
    bootstrap_interval,
    bootstrap_shares,
    design_effect,
    permutation_p,
    rater_icc,
    welch,
)
from evaluation.statistics.study_figures import (
    LEAST_RATERS,
    LEAST_RATINGS,
    SCOPES,
    STARS,
    ByRater,
    Cell,
    Emotion,
    Group,
    Line,
    Omnibus,
    Pair,
    Scope,
    Study,
)


@dataclass(frozen=True, slots=True)
class _Settings:
    reference: str
    draws: int
    seed: int
    preliminary: frozenset[str]

    def seed_of(self, *words: str) -> tuple[int, int]:
        """A seed for one cell or pair, so that its figures stay the same when other responders join the study."""
        return self.seed, crc32("\0".join(words).encode())


def study_statistics(
    cells: Mapping[str, Sequence[Cell]],
    *,
    reference: str,
    n_raters: Mapping[str, int] | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Study:
    """Compares all responders with the reference, and with each other in each of SCOPES that has cells.

    Args:
        cells: Scope or emotion label -> its cells, one a responder.
        reference: The responder that gains are relative to, usually the people.
        n_raters: Number of raters by responder, for those whose raters are known by number only.
        draws: Bootstrap draws and permutations.
        seed: Where chance starts. One seed gives the same figures each time.

    Raises:
        ValueError: An unknown scope, two cells of one responder in a scope, or no cell of the reference in a scope
            that has a ranking.
    """
    _check(cells, reference)
    groups = _groups(cells, n_raters or {})
    preliminary = frozenset(group.responder for group in groups if group.is_preliminary)
    settings = _Settings(reference, draws, seed, preliminary)
    emotions = [_emotion(name, cells[name], settings) for name in VALENCE if _has(cells.get(name, ()), reference)]
    n_tests = _family_sizes(emotions, [group.responder for group in groups if group.responder != reference])
    return Study(
        reference=reference,
        groups=groups,
        scopes=tuple(_scope(name, cells[name], settings) for name in SCOPES if cells.get(name)),
        emotions=_emotions_adjusted(emotions, n_tests),
        n_tests=n_tests,
        without_reference=tuple(name for name in VALENCE if cells.get(name) and not _has(cells[name], reference)),
    )


def _check(cells: Mapping[str, Sequence[Cell]], reference: str) -> None:
    for name, of_scope in cells.items():
        responders = [cell.responder for cell in of_scope]
        if name not in SCOPES and name not in VALENCE:
            raise ValueError(f"{name} is neither a scope nor an emotion label")
        if len(set(responders)) < len(responders):
            raise ValueError(f"{name} has two cells of one responder")
        if name in SCOPES and responders and reference not in responders:
            raise ValueError(f"{name} has no cell of {reference}")


def _has(cells: Sequence[Cell], responder: str) -> bool:
    return any(cell.responder == responder for cell in cells)


def _groups(cells: Mapping[str, Sequence[Cell]], n_raters: Mapping[str, int]) -> tuple[Group, ...]:
    widest: dict[str, Cell] = {}
    for name in (*SCOPES, *VALENCE):
        for cell in cells.get(name, ()):
            widest.setdefault(cell.responder, cell)
    return tuple(_group(cell, n_raters.get(cell.responder)) for cell in widest.values())


def _group(cell: Cell, told: int | None) -> Group:
    known = cell.raters
    number = told if known is None else known.n.size
    return Group(
        responder=cell.responder,
        n_raters=number,
        is_preliminary=None if number is None else number < LEAST_RATERS,
        icc=None if known is None else rater_icc(known),
        design_effect=None if known is None else design_effect(known),
    )


def _scope(name: str, cells: Sequence[Cell], settings: _Settings) -> Scope:
    ordered = _by_share(cells, settings.reference)
    pairs = _holm_adjusted([_pair(name, *two, settings, by_rater=True) for two in combinations(ordered, 2)])
    places = _places([cell for cell in ordered if cell.responder not in settings.preliminary], pairs)
    lines = [_placed(line, places) for line in _lines(name, ordered, settings)]
    return Scope(name, tuple(lines), _omnibus(ordered), pairs)


def _by_share(cells: Sequence[Cell], reference: str) -> list[Cell]:
    return sorted(cells, key=lambda cell: (cell.responder != reference, -cell.share, cell.responder))


def _lines(name: str, cells: Sequence[Cell], settings: _Settings) -> list[Line]:
    reference = next(cell for cell in cells if cell.responder == settings.reference)
    return [_line(name, cell, reference, settings) for cell in cells]


def _line(name: str, cell: Cell, reference: Cell, settings: _Settings) -> Line:
    wilson = wilson_interval(cell.good, cell.n)
    seed = settings.seed_of(name, cell.responder)
    over_raters = bootstrap_interval(cell.raters, draws=settings.draws, seed=seed) if cell.raters else None
    is_reference = cell is reference
    gains, points = (None, None) if is_reference else _difference_intervals(name, cell, reference, settings)
    return Line(
        responder=cell.responder,
        n=cell.n,
        bad=cell.bad,
        okay=cell.okay,
        good=cell.good,
        share=cell.share,
        interval=over_raters or wilson,
        interval_method="bootstrap over raters" if over_raters else "Wilson",
        wilson=wilson,
        mean_level=_mean_level(cell),
        gain=None if is_reference else gain(cell.share, reference.share),
        gain_interval=gains,
        points=None if is_reference else 100 * (cell.share - reference.share),
        points_interval=points,
        has_too_little=cell.has_too_little,
        rank=None,
        letters=(),
        basis=cell.basis,
    )


def gain(share: float, reference: float) -> float | None:
    """By how many per cent a share lies above that of the reference; None where the reference's is 0."""
    return 100 * (share / reference - 1) if reference else None


def _mean_level(cell: Cell) -> float | None:
    if cell.levels is None:
        return None
    bad, okay, good = cell.levels
    return (bad + 2 * okay + 3 * good) / cell.n


def _difference_intervals(
    name: str, cell: Cell, reference: Cell, settings: _Settings
) -> tuple[Interval | None, Interval | None]:
    """Of the gain and of the points. None for both where raters are not known, or where one side shows no spread.

    The gain has none either where a draw of the reference has no Good, since such gains have no upper end.
    """
    if cell.raters is None or reference.raters is None:
        return None, None
    if cell.raters.are_all_alike or reference.raters.are_all_alike:
        return None, None
    own, other = (
        bootstrap_shares(each.raters, draws=settings.draws, seed=settings.seed_of(name, each.responder))
        for each in (cell, reference)
        if each.raters
    )
    gains = percentile_interval(100 * (own / other - 1)) if (other > 0).all() else None
    return gains, percentile_interval(100 * (own - other))


def _pair(name: str, first: Cell, second: Cell, settings: _Settings, *, by_rater: bool) -> Pair:
    """The reference comes first in a scope, so the pair is turned round where it is: a model less the people."""
    if first.responder == settings.reference:
        first, second = second, first
    few = [cell.responder for cell in (first, second) if cell.has_too_little]
    good = None if few else table_test([first.good_or_not, second.good_or_not])
    h = cohens_h(first.share, second.share)
    return Pair(
        first=first.responder,
        second=second.responder,
        points=100 * (first.share - second.share),
        good=good,
        three_levels=None if few or not (first.levels and second.levels) else table_test([first.levels, second.levels]),
        reason=f"fewer than {LEAST_RATINGS} ratings: {', '.join(few)}" if few else (good.reason if good else ""),
        p=good.p if good else None,
        p_adjusted=None,
        stars="",
        family="preliminary" if settings.preliminary & {first.responder, second.responder} else "ranking",
        h=h,
        h_words=words_of_h(h),
        by_rater=_by_rater(name, first, second, settings) if by_rater and not few else None,
    )


def _by_rater(name: str, first: Cell, second: Cell, settings: _Settings) -> ByRater | None:
    if first.raters is None or second.raters is None:
        return None
    seed = settings.seed_of(name, *sorted((first.responder, second.responder)))
    return ByRater(
        welch(first.raters, second.raters),
        permutation_p(first.raters, second.raters, draws=settings.draws, seed=seed),
    )


def _holm_adjusted(pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    """Within each family: a preliminary group changes nothing about the ranking of the others."""
    families = {family: [pair for pair in pairs if pair.family == family] for family in ("ranking", "preliminary")}
    adjusted = {id(pair): new for members in families.values() for pair, new in _adjusted(members, holm)}
    return tuple(adjusted[id(pair)] for pair in pairs)


def _adjusted(pairs: Sequence[Pair], correct: Callable[[list[float]], Sequence[float]]) -> list[tuple[Pair, Pair]]:
    """Each pair with its adjusted self; a pair without a p value is no test and stays as it is."""
    tested = [pair for pair in pairs if pair.p is not None]
    corrected = correct([pair.p for pair in tested if pair.p is not None])
    values = {id(pair): p for pair, p in zip(tested, corrected, strict=True)}
    return [(pair, _starred(pair, values[id(pair)]) if id(pair) in values else pair) for pair in pairs]


def _starred(pair: Pair, p: float) -> Pair:
    return replace(pair, p_adjusted=p, stars=next((stars for limit, stars in STARS if p < limit), ""))


_Places = Mapping[str, tuple[int, tuple[str, ...]]]


def _placed(line: Line, places: _Places) -> Line:
    rank, letters = places.get(line.responder, (None, ()))
    return replace(line, rank=rank, letters=letters)


def _places(ranked: Sequence[Cell], pairs: Sequence[Pair]) -> _Places:
    """Responder -> rank (1 for the highest share; equal shares have one rank) and letters."""
    ordered = sorted(ranked, key=lambda cell: (-cell.share, cell.responder))
    at = {cell.responder: place for place, cell in enumerate(ordered)}
    different = [(at[pair.first], at[pair.second]) for pair in pairs if pair.family == "ranking" and pair.differs]
    letters = compact_letters(len(ordered), different)
    ranks = [1 + sum(other.share > cell.share for other in ordered) for cell in ordered]
    return {cell.responder: (rank, own) for cell, rank, own in zip(ordered, ranks, letters, strict=True)}


def _omnibus(cells: Sequence[Cell]) -> Omnibus:
    enough = [cell for cell in cells if not cell.has_too_little]
    known = all(cell.levels for cell in enough)
    table = [cell.levels if known and cell.levels else cell.good_or_not for cell in enough]
    test = table_test(table) if len(enough) > 1 else None
    return Omnibus(
        levels="Bad, Okay, Good" if known else "Good against the rest",
        responders=tuple(cell.responder for cell in enough),
        left_out=tuple(cell.responder for cell in cells if cell.has_too_little),
        test=test,
        reason=test.reason if test else f"fewer than two responders have {LEAST_RATINGS} ratings or more",
    )


def _emotion(name: str, cells: Sequence[Cell], settings: _Settings) -> Emotion:
    ordered = _by_share(cells, settings.reference)
    pairs = [_pair(name, ordered[0], cell, settings, by_rater=False) for cell in ordered[1:]]
    return Emotion(name, VALENCE[name], tuple(_lines(name, ordered, settings)), tuple(pairs))


def _family_sizes(emotions: Sequence[Emotion], responders: Sequence[str]) -> dict[str, int]:
    """How many tests the correction of each responder covers.

    An emotion without a cell of the responder counts: its p value exists and was not published, and the ones that were
    may well be the smallest. An emotion with too few ratings has no test and does not count.
    """
    return {responder: sum(_counts_for(emotion, responder) for emotion in emotions) for responder in responders}


def _counts_for(emotion: Emotion, responder: str) -> bool:
    found = [pair for pair in emotion.against_reference if pair.first == responder]
    return found[0].p is not None if found else not emotion.lines[0].has_too_little


def _emotions_adjusted(emotions: Sequence[Emotion], n_tests: Mapping[str, int]) -> tuple[Emotion, ...]:
    adjusted: dict[int, Pair] = {}
    for responder, number in n_tests.items():
        own = [pair for emotion in emotions for pair in emotion.against_reference if pair.first == responder]
        found = _adjusted(own, partial(benjamini_hochberg, n_tests=number))
        adjusted |= {id(pair): new for pair, new in found}
    return tuple(
        replace(emotion, against_reference=tuple(adjusted[id(pair)] for pair in emotion.against_reference))
        for emotion in emotions
    )
