"""The run page and its items. Progress is counted from the stored results, never asked of a worker."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.core.paginator import Paginator

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Measure, Summary
from evaluation.benchmarks.eqbench_summary import STRICT_SCORE
from evaluation.disclosure import failure_of, manifest_of, observed_in
from evaluation.models import FaultKind, ItemState, Origin, Run
from evaluation.runs.summaries import asked_bank, interval_of, item_scores, items_behind, strict_figures, summary_fields
from evaluation.runs.unread import short_reason
from evaluation.statistics.score_interval import is_without_spread
from leaderboard.drawings.shapes import StripBar, strip
from leaderboard.kinds import kind_of
from leaderboard.kinds.base import ItemParts, Kind, ShownPart, shown
from leaderboard.pages.rankings.directory import title_of_run
from leaderboard.pages.runs.answered import Answered, answered_results, samples_of, shown_items
from leaderboard.pages.runs.context import (
    Comparison,
    Outlook,
    Throughput,
    comparison_of,
    flat,
    outlook_of,
    throughput_of,
)
from leaderboard.pages.runs.items import ItemRow, OfItems, item_rows
from leaderboard.pages.shared.corrections import Correction, corrections_of
from leaderboard.pages.shared.measures import item_measure, item_word, measures_of, ranking_measure
from leaderboard.pages.shared.paging import PageLinks, page_links
from leaderboard.rounding import figure
from leaderboard.standings import ranking_key
from leaderboard.standings.vouchers import voucher_of
from leaderboard.wording import sentences
from leaderboard.wording.advice import advice_of, fault_numbers
from leaderboard.wording.other_settings import in_words
from leaderboard.wording.sentences import Progress, State
from leaderboard.wording.vouching import words_of

ITEMS_A_PAGE = 25
PACE_OVER = 40  # newest results from which the pace is taken
SHORTEST_PACE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Way:
    """How a run is reached. `path` begins the addresses of its pages and files; `submission` is the address of the
    submission whose token opens it, or "" at the public address.
    """

    path: str
    submission: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    """A run's score, or the score so far. `half` is half of the 95 % interval.

    It is None where there is no score, and `is_without_spread` where all items have the same one.
    """

    value: float | None
    half: float | None
    n_scored: int
    strict: float | None
    n_strict: int
    is_without_spread: bool = False


@dataclass(frozen=True, slots=True)
class Read:
    """How many items were read of how many, and the share, 0 to 1; None before anything is answered."""

    n: int
    of: int
    share: float | None


@dataclass(frozen=True, slots=True)
class FigureRow:
    """A further figure of a run: its name, its value and its unit as they are written."""

    title: str
    text: str
    unit: str


@dataclass(frozen=True, slots=True)
class FaultRow:
    kind: str
    count: int
    meaning: str
    consequence: str
    advice: str


@dataclass(frozen=True, slots=True)
class RunPage(OfItems):
    """All that the run page shows. `manifest` is flat, a name and a text a line; it is sealed when the run ends.

    `remarks` is what the endpoint did out of the ordinary, with how often; `texts` tells whether replies may be read.
    """

    run: Run
    way: Way
    model: str
    ranking_title: str
    ranking: str
    state: State
    headline: str
    progress: Progress
    read: Read
    score: Score
    repeat_scores: tuple[float | None, ...]
    strip: tuple[StripBar, ...]
    faults: tuple[FaultRow, ...]
    shown_items: tuple[ItemRow, ...]
    samples: tuple[ItemRow, ...]
    samples_are: str
    manifest: tuple[tuple[str, str], ...]
    sealed: bool
    comparison: Comparison | None
    outlook: Outlook | None
    throughput: Throughput | None
    remarks: tuple[tuple[str, int], ...]
    failure: str
    texts: bool
    corrections: tuple[Correction, ...]
    other_settings: str
    kind: Kind
    measure: Measure
    item_measure: Measure
    vouched_for: str = ""
    figures: tuple[FigureRow, ...] = ()
    part: ShownPart | None = None

    @property
    def has_strict(self) -> bool:
        """Whether the benchmark tells an official reading from others."""
        return any(measure.key == STRICT_SCORE for measure in measures_of(self.run.benchmark))

    @property
    def is_computed(self) -> bool:
        """Whether the score comes from the bank by a rule, so that there are no answers to show."""
        return self.run.origin == Origin.BASELINE and not self.progress.done


@dataclass(frozen=True, slots=True)
class ItemsPage(OfItems):
    """The items of a run in the bank's order, a page at a time. `only_unread` leaves out those that were read."""

    run: Run
    way: Way
    model: str
    items: tuple[ItemRow, ...]
    opened: str
    n_items: int
    only_unread: bool
    pages: PageLinks
    texts: bool
    words: ItemParts


def run_page(run: Run, way: Way) -> RunPage:
    """The page of a run, whose model, bank and parent are at hand: at most eight queries."""
    answered = answered_results(run)
    progress = progress_of(run, answered)
    manifest, kind = manifest_of(run), kind_of(run.benchmark)
    return RunPage(
        run=run,
        way=way,
        model=str(run.model),
        ranking_title=title_of_run(run),
        ranking=ranking_key(run.bank.slug, run.bank.benchmark, run.benchmark, run.variant),
        state=sentences.state(run),
        headline=sentences.headline(run, progress),
        progress=progress,
        read=read_of(run, progress),
        score=score_of(run, answered),
        repeat_scores=tuple(run.repeat_scores) if run.repeats > 1 else (),
        strip=strip(strip_cells(answered), run.n_items, item_measure(run.benchmark), is_open=run.is_open),
        faults=fault_rows(run, answered),
        shown_items=shown_items(run, answered),
        samples=samples_of(run, answered),
        samples_are=sentences.samples(
            progress.unread,
            has_ends=not run.is_open and any(result.score is not None for result in answered),
            by=item_word(run.benchmark) if item_measure(run.benchmark).is_plain else "",
        ),
        manifest=tuple(flat(manifest)),
        sealed=run.manifest is not None,
        comparison=comparison_of(run),
        outlook=outlook_of(run, mean_scores(answered)),
        throughput=throughput_of(run, [result.latency_ms for result in answered if result.latency_ms is not None]),
        remarks=tuple(sorted(observed_in(run).get("remarks", {}).items(), key=lambda remark: (-remark[1], remark[0]))),
        failure=failure_of(run),
        texts=run.bank.shows_texts,
        corrections=corrections_of(run),
        other_settings=in_words(run.departures),
        kind=kind,
        measure=ranking_measure(run.benchmark),
        item_measure=item_measure(run.benchmark),
        vouched_for=words_of(voucher_of(run)),
        figures=() if kind.run_part else further_figures(run),
        part=shown(kind.run_part, run),
    )


def further_figures(run: Run) -> tuple[FigureRow, ...]:
    """The figures of an ended run that do not rank and that have no place of their own on the page."""
    return tuple(
        FigureRow(measure.title, figure(run.figures[measure.key].get("value"), measure), measure.unit)
        for measure in measures_of(run.benchmark)[1:]
        if measure.key in run.figures and measure.key != STRICT_SCORE
    )


def progress_of(run: Run, answered: Sequence[Answered]) -> Progress:
    states = Counter(result.state for result in answered)
    total = run.n_asks
    pace = pace_of(answered) if run.status == "running" else None
    return Progress(
        done=len(answered),
        total=total,
        read=states[ItemState.READ],
        unread=states[ItemState.UNREAD],
        faults=states[ItemState.FAULT],
        pace=pace,
        seconds_left=60 * (total - len(answered)) / pace if pace else None,
    )


def read_of(run: Run, progress: Progress) -> Read:
    """What the run's summary says once there is one, else what is answered so far."""
    if run.is_open or run.parse_share is None:
        return Read(progress.read, progress.done, progress.read_share)
    return Read(run.n_scored, run.n_items, run.parse_share)


def pace_of(answered: Sequence[Answered]) -> float | None:
    """Results a minute over the newest ones, so that an old pause does not count; None where they say little."""
    times = sorted(result.created_at for result in answered)[-PACE_OVER:]
    seconds = (times[-1] - times[0]).total_seconds() if times else 0.0
    return 60 * (len(times) - 1) / seconds if seconds >= SHORTEST_PACE_SECONDS else None


def score_of(run: Run, answered: Sequence[Answered]) -> Score:
    """The stored score, or for an open run the score of what is answered so far."""
    if not run.is_open:
        return shown_score(run.benchmark, run.score, run.standard_error, run.n_scored, run.figures)
    summary = summary_so_far(run, answered)
    if summary is None:
        return Score(None, None, 0, None, 0)
    columns = summary_fields(summary, BENCHMARKS[run.benchmark])
    numbers = columns["score"], columns["standard_error"], columns["n_scored"], columns["figures"]
    return shown_score(run.benchmark, *numbers)


def shown_score(
    benchmark: str, score: float | None, error: float | None, n_scored: int, figures: Mapping[str, Mapping[str, Any]]
) -> Score:
    n, strict = items_behind(benchmark, figures, n_scored), strict_figures(figures)
    interval = interval_of(benchmark, score, error, n)
    half = interval.half_width if interval else None
    return Score(score, half, n, strict["strict_score"], strict["n_strict"], is_without_spread(error))


def summary_so_far(run: Run, answered: Sequence[Answered]) -> Summary | None:
    """The summary of the repeats that are complete, or of the first one while it is under way."""
    if not answered or run.benchmark not in BENCHMARKS:
        return None
    complete = max(result.repeat for result in answered) - 1
    repeats = complete or 1
    scores = [score for score in item_scores(run) if score.repeat <= repeats]
    bank, known = asked_bank(run), {result.number for result in answered}
    if not complete:
        bank = replace(bank, items=tuple(item for number, item in enumerate(bank.items, 1) if number in known))
    return BENCHMARKS[run.benchmark].summarise(scores, bank, repeats=repeats, variant=run.variant)


def strip_cells(answered: Sequence[Answered]) -> list[tuple[int, str, float | None]]:
    """One cell an item with the mean of its scores; "cell-none" where no repeat of it has one."""
    return [(number, "cell-none" if mean is None else "cell", mean) for number, mean in mean_scores(answered).items()]


def mean_scores(answered: Sequence[Answered]) -> dict[int, float | None]:
    """Item number -> the mean of its scores over the repeats so far; None where no repeat of it has one."""
    scores: dict[int, list[float]] = {}
    for result in answered:
        scores.setdefault(result.number, []).extend([] if result.score is None else [result.score])
    return {number: sum(found) / len(found) if found else None for number, found in scores.items()}


def fault_rows(run: Run, answered: Sequence[Answered]) -> tuple[FaultRow, ...]:
    """A row a kind of fault. Parse is counted from the results, the others by the worker as they happened. Of an import
    also how many items its file has no answer to, if any."""
    unread = Counter(short_reason(result.reason) for result in answered if result.state == ItemState.UNREAD)
    counts = fault_numbers(run, unread)
    without_reply = Counter(result.reason for result in answered if result.state == ItemState.FAULT)
    advice = advice_of(run, unread, without_reply)
    asked = run.origin in {Origin.MEASURED, Origin.DEMO}
    kinds = list(FaultKind) if asked else [FaultKind.PARSE]
    absent = 0 if asked else run.n_asks - len(answered)
    unread_as = kind_of(run.benchmark).unread_as
    return (
        *(
            FaultRow(
                kind.value,
                counts[kind],
                sentences.fault_meaning(kind, counts[kind], unread.most_common()),
                sentences.fault_consequence(kind, counts[kind], asked=asked, unread_as=unread_as),
                advice[kind] if asked else "",
            )
            for kind in kinds
        ),
        *([FaultRow("no answer", absent, sentences.NO_ANSWER, sentences.LEFT_OUT, "")] if absent > 0 else []),
    )


def items_page(run: Run, way: Way, *, page: str, only_unread: bool, item: str = "") -> ItemsPage:
    """One page of the run's items with their transcripts; a page beyond the end is the last one. With the id of an
    `item`, the page that it is on, in place of the one that is asked for."""
    wanted = [result.pk for result in answered_results(run) if not (only_unread and result.state == ItemState.READ)]
    if item and (first := run.results.filter(item__item_id=item).order_by("repeat").first()) and first.pk in wanted:
        page = str(wanted.index(first.pk) // ITEMS_A_PAGE + 1)
    found = Paginator(wanted, ITEMS_A_PAGE).get_page(page)
    results = run.results.filter(pk__in=found.object_list).order_by("item__number", "repeat")
    return ItemsPage(
        run=run,
        way=way,
        model=str(run.model),
        items=item_rows(run, results, with_texts=True),
        n_items=len(wanted),
        opened=item,
        only_unread=only_unread,
        pages=page_links(found),
        texts=run.bank.shows_texts,
        words=kind_of(run.benchmark).item_parts,
    )
