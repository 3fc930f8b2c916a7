"""The methodology page: constants and examples from the code that scores, counts and banks from the database."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, sqrt
from statistics import fmean

from django.db.models import Count, F

from evaluation.baselines import reads_nothing
from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Answer, Generation
from evaluation.benchmarks.eqbench_curve import ADJUSTMENT, FULL_MARKS, HEIGHT, MIDDLE, SLOPE
from evaluation.benchmarks.eqbench_numbers import HIGHEST_READ, SCALE_TOP
from evaluation.benchmarks.eqbench_reading import LONGEST
from evaluation.benchmarks.eqbench_summary import NEEDED_SHARE, POINTS, REVISED_SHARE
from evaluation.models import Item, ItemBank, Origin, Run
from evaluation.runs.summaries import as_item
from evaluation.statistics.ranks import DRAWS, OUTLIERS
from evaluation.statistics.ranks import SEED as RESAMPLING_SEED
from evaluation.statistics.score_interval import COVERAGE, Coverage, half_of
from leaderboard.kinds import KINDS, kind_of, scorer_changes
from leaderboard.kinds.base import ScorerChange, ShownPart, shown
from leaderboard.models import Standing
from leaderboard.pages.items.bank_file import shipped_file
from leaderboard.pages.methodology.bank_facts import BankFacts, bank_facts
from leaderboard.pages.shared.corrections import Correction, newest_corrections
from leaderboard.rounding import number
from leaderboard.standings.field import FIELDS, N_RUNS, ErrorLine
from leaderboard.wording import worked_examples
from leaderboard.wording.baselines import meaning_of, scatter_of
from leaderboard.wording.example_replies import FLAGS, REASONS, ReadExample, read_examples
from leaderboard.wording.gaps import between
from leaderboard.wording.vouching import VOUCHERS
from leaderboard.wording.worked_examples import CurveRow, Worked

CORRECTIONS = 50


@dataclass(frozen=True, slots=True)
class Constants:
    """The numbers of the scoring rule and of the statistics, as the code holds them."""

    full_marks: float = FULL_MARKS
    adjustment: float = ADJUSTMENT
    points: float = POINTS
    needed_share: float = NEEDED_SHARE
    revised_share: float = REVISED_SHARE
    scale_top: int = SCALE_TOP
    highest_read: int = HIGHEST_READ
    curve_height: float = HEIGHT
    curve_slope: float = SLOPE
    curve_middle: float = MIDDLE
    longest: int = LONGEST
    draws: int = DRAWS
    seed: int = RESAMPLING_SEED

    @property
    def needed_text(self) -> str:
        return f"{100 * self.needed_share:.4g} %"

    @property
    def revised_text(self) -> str:
        return f"{100 * self.revised_share:.4g} %"

    @property
    def ahead_text(self) -> str:
        """The share of resamples in which a model that is ahead of another stands above it, at least."""
        return f"{100 * (1 - 1 / OUTLIERS):.4g} %"

    @property
    def ahead_error(self) -> float:
        """The Monte Carlo error of such a share, in percentage points."""
        return 100 * sqrt((1 - 1 / OUTLIERS) / OUTLIERS / self.draws)


@dataclass(frozen=True, slots=True)
class Rule:
    """One way of scoring, as BENCHMARKS has it; `further` are titles of the loaded banks that share it."""

    name: str
    title: str
    further: tuple[str, ...]
    bank: str
    scorer_version: str
    generation: Generation

    @property
    def temperatures(self) -> tuple[float, ...]:
        """Of the first and the further attempts at one item."""
        each = self.generation
        return tuple(each.temperature + each.temperature_step * attempt for attempt in range(each.attempts))


@dataclass(frozen=True, slots=True)
class Bank:
    """A loaded item bank; `needed` is how many items must be scored for a score, None where `needs` says it otherwise.
    `texts` may be shown or not.

    `has_file`: the questions are ours and can be loaded from here.
    """

    slug: str
    title: str
    language: str
    version: str
    sha256: str
    licence: str
    citation: str
    n_items: int
    needed: int | None
    needs: str
    texts: bool
    has_file: bool
    facts: BankFacts | None


@dataclass(frozen=True, slots=True)
class Guesses:
    """What answers without reading get on a bank: the same rating for every feeling, in points; and any at random.

    `constants` has one entry a rating from 0 to the top of the scale; None where the rule gives no score.
    """

    title: str
    constants: tuple[float | None, ...]
    best: int
    best_score: float
    random: float | None


@dataclass(frozen=True, slots=True)
class BaselineRow:
    """A stored baseline of a bank. `half` is half of the 95 % interval over the items, `scatter` the SD of single runs
    around an expected score; both in points, None where there is none."""

    name: str
    meaning: str
    score: float
    half: float | None
    scatter: float | None


@dataclass(frozen=True, slots=True)
class BankBaselines:
    """What answers without a model get on a bank: the stored rows, the lowest score first, and all constant answers."""

    guesses: Guesses
    rows: tuple[BaselineRow, ...]

    @property
    def best_of_nothing(self) -> BaselineRow | None:
        """The best answer that reads nothing."""
        return max((row for row in self.rows if reads_nothing(row.name)), key=lambda row: row.score, default=None)


@dataclass(frozen=True, slots=True)
class OriginRow:
    """Where a score comes from, and how many rows of the board do."""

    origin: str
    count: int
    meaning: str


@dataclass(frozen=True, slots=True)
class VoucherRow:
    """Who vouches for a score, for how many rows of the board, and what was checked."""

    word: str
    count: int
    meaning: str


@dataclass(frozen=True, slots=True)
class PublishedError:
    """The errors in points that stand in for item scores among published figures of a ranking, as formulas.

    `full` is printed with a score; `own`, without what the items do to all models alike, decides ties.
    `bands` are the leads in points below which two models are usually tied, beside words for where their scores lie.
    """

    title: str
    full: str
    own: str
    bands: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class KindWords:
    """What a kind of benchmark says of its own rule; the address of its section is its `family`."""

    family: str
    title: str
    shown: tuple[ShownPart, ...]


@dataclass(frozen=True, slots=True)
class MethodologyPage:
    constants: Constants
    coverage: tuple[Coverage, ...]
    curve: tuple[CurveRow, ...]
    curve_path: str
    worked: Worked
    worked_v1: Worked
    code: str
    examples: tuple[ReadExample, ...]
    reference: tuple[tuple[str, float], ...]
    reasons: Mapping[str, str]
    flags: Mapping[str, str]
    rules: tuple[Rule, ...]
    banks: tuple[Bank, ...]
    baselines: tuple[BankBaselines, ...]
    origins: tuple[OriginRow, ...]
    vouchers: tuple[VoucherRow, ...]
    published: tuple[PublishedError, ...]
    n_official: int
    changes: Sequence[ScorerChange]
    corrections: tuple[Correction, ...]
    parts: tuple[KindWords, ...] = ()


ORIGINS: Mapping[Origin, str] = {
    Origin.MEASURED: "Asked and scored by this site. Replies, answers, attempts and settings are stored; what "
    "the run's page shows of them depends on the item bank.",
    Origin.IMPORTED: "Answers from a file, scored here. An official run file holds answers parsed by its own "
    "pipeline; replies of other harnesses are parsed here too. The score stated in the file is shown beside ours.",
    Origin.PUBLISHED: "A score quoted from its source. No answers are stored, so it cannot be tested.",
    Origin.BASELINE: "Not a model but something to compare scores with, such as a rule. Random and constant answers "
    "ignore the dialogue, and a model below the best constant answer would gain by ignoring it too. “Words alone” sees "
    "only the emotion words; the noisy reference knows the answers.",
    Origin.DEMO: "A scripted endpoint that shows how the site works. Hidden unless asked for, and never ranked.",
}


def methodology_page() -> MethodologyPage:
    """Five queries, and one more for each bank that was not seen before by this process."""
    rows = list(ItemBank.objects.annotate(n_items=Count("items")).order_by("slug"))
    origins, vouchers = counted_rows()
    return MethodologyPage(
        constants=Constants(),
        coverage=COVERAGE,
        curve=worked_examples.curve_rows(),
        curve_path=worked_examples.curve_path(),
        worked=worked_examples.worked_v2(),
        worked_v1=worked_examples.worked_v1(),
        code=worked_examples.scoring_code(),
        examples=read_examples(),
        reference=tuple(zip(worked_examples.ITEM.labels, worked_examples.ITEM.reference, strict=True)),
        reasons=REASONS,
        flags=FLAGS,
        rules=tuple(rule_of(name, rows) for name in BENCHMARKS if not kind_of(name).methodology),
        banks=tuple(bank_of(bank, bank.n_items) for bank in rows),
        baselines=bank_baselines([bank for bank in rows if bank.shows_items and has_ratings(bank)]),
        parts=kind_parts(rows),
        origins=origin_rows(origins),
        vouchers=voucher_rows(vouchers),
        published=tuple(published_error(key, rows) for key in FIELDS),
        n_official=N_RUNS,
        changes=scorer_changes(),
        corrections=newest_corrections(CORRECTIONS),
    )


def has_ratings(bank: ItemBank) -> bool:
    """Whether its answers are whole numbers from 0 to 10, of which the page shows what constant ones get."""
    return kind_of(bank.benchmark).item_parts.are_whole


def kind_parts(banks: Sequence[ItemBank]) -> tuple[KindWords, ...]:
    """Of each kind with a loaded bank that has words of its own."""
    found = []
    for kind in KINDS.values():
        own = [bank for bank in banks if bank.shows_items and kind_of(bank.benchmark) is kind]
        parts = tuple(part for each in kind.methodology if own and (part := shown(each, own)))
        if parts:
            found.append(KindWords(kind.family, kind.title, parts))
    return tuple(found)


def rule_of(name: str, banks: Sequence[ItemBank]) -> Rule:
    benchmark = BENCHMARKS[name]
    further = tuple(bank.title for bank in banks if bank.benchmark == name and bank.slug != benchmark.bank)
    return Rule(name, benchmark.title, further, benchmark.bank, benchmark.scorer_version, benchmark.generation)


def bank_of(bank: ItemBank, n_items: int) -> Bank:
    kind = kind_of(bank.benchmark)
    return Bank(
        slug=bank.slug,
        title=bank.title,
        language=bank.language,
        # Nothing of a private bank is told but its size; its hash would let a guess of its references be checked.
        version=bank.version if bank.shows_items else "",
        sha256=bank.sha256 if bank.shows_items else "",
        licence=bank.licence,
        citation=bank.citation,
        n_items=n_items,
        needed=None if kind.needed_share is None else ceil(kind.needed_share * n_items),
        needs=kind.needs,
        texts=bank.shows_texts,
        has_file=shipped_file(bank) is not None,
        facts=bank_facts(bank.facts) if bank.shows_texts else None,
    )


@lru_cache(maxsize=64)
def guesses_of(bank_id: int, sha256: str, title: str, name: str) -> Guesses | None:
    """Computed once for each bank, since a bank never changes. None for one that no rule here scores, or empty."""
    if name not in BENCHMARKS:
        return None
    benchmark = BENCHMARKS[name]
    items = [as_item(row) for row in Item.objects.filter(bank_id=bank_id)]
    if not all(item.reference for item in items):  # no ratings are asked for, as in prompts for replies
        return None
    constants = tuple(
        mean_or_none(
            [
                benchmark.score(item, Answer("first_pass", "official", (float(rating),) * len(item.labels)))[0]
                for item in items
            ]
        )
        for rating in range(SCALE_TOP + 1)
    )
    known = {rating: score for rating, score in enumerate(constants) if score is not None}
    if not known:
        return None
    best = max(known, key=lambda rating: known[rating])
    # Each feeling costs by itself, so any ratings at random are on average the mean of all constant answers.
    random = fmean(known.values()) if len(known) == len(constants) else None
    return Guesses(title, constants, best, known[best], random)


def bank_baselines(banks: Sequence[ItemBank]) -> tuple[BankBaselines, ...]:
    """Of each bank that a rule here scores. One query beside that of `guesses_of`."""
    found = {bank.pk: guesses_of(bank.pk, bank.sha256, bank.title, bank.benchmark) for bank in banks}
    rows: defaultdict[int, list[BaselineRow]] = defaultdict(list)
    runs = Run.objects.filter(
        origin=Origin.BASELINE, bank__in=banks, benchmark=F("bank__benchmark"), score__isnull=False
    )
    columns = ("bank_id", "model__name", "settings", "score", "standard_error", "n_scored")
    for bank_id, name, settings, score, error, n_scored in runs.order_by("score", "pk").values_list(*columns):
        half = half_of(error, n_scored)
        rows[bank_id].append(BaselineRow(name, meaning_of(settings), score, half, scatter_of(settings)))
    return tuple(BankBaselines(guesses, tuple(rows[pk])) for pk, guesses in found.items() if guesses is not None)


def mean_or_none(points: Sequence[float | None]) -> float | None:
    """A run's score from item points; None as soon as one item has none."""
    present = [value for value in points if value is not None]
    return POINTS * fmean(present) if present and len(present) == len(points) else None


def counted_rows() -> tuple[Counter[str], Counter[str]]:
    """How many rows of the board have each origin, and how many each voucher. One query."""
    origins, vouchers = Counter[str](), Counter[str]()
    groups = Standing.objects.order_by().values("origin", "vouched_by").annotate(n=Count("pk"))
    for origin, vouched_by, n in groups.values_list("origin", "vouched_by", "n"):
        origins[origin] += n
        vouchers[vouched_by] += n
    return origins, vouchers


def origin_rows(counts: Counter[str]) -> tuple[OriginRow, ...]:
    return tuple(OriginRow(origin.value, counts[origin.value], meaning) for origin, meaning in ORIGINS.items())


def voucher_rows(counts: Counter[str]) -> tuple[VoucherRow, ...]:
    return tuple(VoucherRow(voucher.word, counts[level], voucher.meaning) for level, voucher in VOUCHERS.items())


def published_error(key: str, banks: Sequence[ItemBank]) -> PublishedError:
    field = FIELDS[key]
    title = next(
        (bank.title for bank in banks if bank.slug == key), BENCHMARKS[key].title if key in BENCHMARKS else key
    )
    bands = tuple((between(low, high), gap) for low, high, gap in field.gap_bands)
    return PublishedError(title, line_text(field.full_error), line_text(field.own_error), bands)


def line_text(line: ErrorLine) -> str:
    """ "3.957 − 0.0282 × score, at least 0.5"; errors fall with the score."""
    return f"{number(line.intercept, 3)} − {number(-line.slope, 4)} × score, at least {number(line.floor, 1)}"
