"""What EmotionBench shows on the pages of rankings, models, runs and methods."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Max, Window

from evaluation.benchmarks.emotionbench import EMOTION_BENCH, GENERATION, PLANS
from evaluation.benchmarks.emotionbench.summary import LEAST_DEFAULT, LEAST_EVOKED
from evaluation.models import ItemBank, Run
from leaderboard.kinds.base import Context, Line, OfModel, OfRanking
from leaderboard.kinds.emotionbench import words
from leaderboard.kinds.emotionbench.drawings import Mood, Scatter, mood, scatter
from leaderboard.kinds.emotionbench.figures import (
    EMOTION,
    FACTOR,
    HALF_OF_PEOPLE,
    Cell,
    MoodRow,
    moods_of,
    people_rows,
    rules_of,
)
from leaderboard.kinds.emotionbench.paper import ARROWS, paper_beside
from leaderboard.models import Standing
from leaderboard.rounding import number

PARTS = (("level", "Level"), ("change", "Change"), ("pattern", "Pattern"))
TOP, BOTTOM = 18.0, 150.0


@dataclass(frozen=True, slots=True)
class Track:
    """One part of the alignment, upright: people's ring and the leader's dot, in px; labels never on each other."""

    title: str
    x: str
    ring: str
    dot: str
    ring_label: str
    dot_label: str
    people: str
    model: str


@dataclass(frozen=True, slots=True)
class ShownCell:
    """One affect of a row as text and as a picture; `points` are the changes without their arrows."""

    default: str
    evoked: str
    change: str
    people: str
    drawn: Mood
    said: str
    points: str
    people_points: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A row of the table: pleasant and unpleasant mood."""

    name: str
    level: str
    n: str
    few: bool
    cells: tuple[ShownCell, ...]


@dataclass(frozen=True, slots=True)
class Situations:
    """One scatter, with its heading and its sentence."""

    heading: str
    sentence: str
    drawn: Scatter


def ranking_part(found: OfRanking) -> Context | None:
    """The opening of a ranking: how the best model compares with people, and the plans. None without a bank."""
    bank = _bank(found)
    if bank is None:
        return None
    ranked = Standing.objects.filter(ranking=found.key, rank__isnull=False).select_related("model")
    best = ranked.annotate(highest=Window(Max("interval_high"))).order_by("rank").first()
    context: dict[str, object] = {"plans": _plans(found), "bank": bank.slug}
    if best is None:
        return context
    figures: Mapping[str, float | None] = best.figures
    tracks = [_track(at, key, title, figures.get(key)) for at, (key, title) in enumerate(PARTS)]
    name = str(best.model)
    return {
        **context,
        "headline": words.headline(name, best.score, best.highest),
        "leader": name,
        "tracks": [track for track in tracks if track],
    }


def _plans(found: OfRanking) -> list[tuple[str, str, bool]]:
    """Name, words and whether it is shown: the plans that have a ranking. None for a table without a plan."""
    if not found.variant:
        return []
    stem = found.key.removesuffix(found.variant)
    filled = set(
        Standing.objects.filter(ranking__in=[f"{stem}{name}" for name in PLANS]).values_list("ranking", flat=True)
    )
    here = [name for name in PLANS if f"{stem}{name}" in filled or name == found.variant]
    return [(name, words.PLAN_WORDS[name], name == found.variant) for name in here]


def _track(at: int, key: str, title: str, value: float | None) -> Track | None:
    if value is None:
        return None
    ring, dot = _height(HALF_OF_PEOPLE[key]), _height(value)
    apart = 15.0
    above, below = sorted((ring, dot))
    if below - above < apart:
        above, below = (above + below - apart) / 2, (above + below + apart) / 2
    ring_label, dot_label = (above, below) if ring <= dot else (below, above)
    return Track(
        title, f"{8 + 33 * at}%", f"{ring:.1f}", f"{dot:.1f}", f"{ring_label + 4:.1f}", f"{dot_label + 4:.1f}",
        number(HALF_OF_PEOPLE[key], 0), number(value, 0),
    )  # fmt: skip


def _height(value: float) -> float:
    return BOTTOM - value / 100 * (BOTTOM - TOP)


def ranking_below(found: OfRanking) -> Context | None:
    """The rules that feel nothing and one half of the people, as lines to read a score by."""
    bank = _bank(found)
    if bank is None:
        return None
    return {"rules": _rules(bank), "bank": bank.slug, "key": found.key, "people": _n_people(bank)}


def _rules(bank: ItemBank) -> list[dict[str, object]]:
    return [
        {
            "name": rule.name,
            "is_people": rule.is_people,
            "width": f"{rule.alignment:.2f}%",
            **{key: number(getattr(rule, key), 1) for key in ("level", "change", "pattern", "alignment")},
        }
        for rule in rules_of(bank)
    ]


def people_lines(found: OfRanking) -> tuple[Line, ...]:
    """One half of the people, which is as near as people come to each other, and the moods of all of them."""
    bank = _bank(found)
    rows = people_rows(bank) if bank else ()
    if not rows:
        return ()
    pleasant, unpleasant = rows[0].affects
    moods = {
        "default_p": pleasant.default, "default_n": unpleasant.default,
        "evoked_p": pleasant.evoked, "evoked_n": unpleasant.evoked,
    }  # fmt: skip
    return (
        Line("One half of the people", HALF_OF_PEOPLE, "against the other half; the mean of 500 halves"),
        Line(f"People, n = {rows[0].n:,}", moods, "their moods before and after a situation"),
    )


def model_part(found: OfModel) -> Context | None:
    if found.run is None:
        return None
    context = run_part(found.run)
    return None if context is None else {**context, "key": found.ranking.key, "slug": found.model.slug}


def run_part(run: Run) -> Context | None:
    """Moods before and after, the table, and which situations the run misjudges. None without a table."""
    rows = moods_of(run)
    if not rows:
        return None
    name = str(run.model)
    overall, factors = rows[0], [row for row in rows if row.level == FACTOR]
    shown = [_shown(row, name) for row in rows]
    return {
        "name": name,
        "heading": words.mood_heading(overall),
        "sentence": words.mood_sentence(overall),
        "moods": [row for row in shown if row.level != FACTOR],
        "table": shown,
        "people": _n_people(run.bank),
        "coverage": words.coverage_sentence(run.results.filter(answer__isnull=False).count(), run.n_asks),
        "plan": words.PLAN_WORDS.get(run.variant, ""),
        "misjudged": words.misjudged_sentence(rows),
        "situations": [_situations(rows, factors, affect) for affect in (0, 1)],
        "n_factors": len(factors),
        "paper": paper_beside(run, rows),
        "few": any(row.few for row in rows),
    }


def _situations(rows: Sequence[MoodRow], factors: Sequence[MoodRow], affect: int) -> Situations:
    drawn = scatter(rows, affect)
    cells = [row.cells[affect] for row in factors]
    return Situations(words.scatter_heading(affect, drawn.r, len(cells)), words.scatter_sentence(affect, cells), drawn)


def _shown(row: MoodRow, model: str) -> Shown:
    return Shown(row.name, row.level, f"{row.n:,}", row.few, tuple(_cell(cell, model) for cell in row.cells))


def _cell(cell: Cell, model: str) -> ShownCell:
    return ShownCell(
        default=_mean(cell.default.mean, cell.default.sd),
        evoked=_mean(cell.evoked.mean, cell.evoked.sd),
        change=f"{ARROWS[cell.arrow]} {words.signed(cell.change)}".strip(),
        people=f"{ARROWS[cell.people.arrow]} {words.signed(cell.people.change)}",
        drawn=mood(cell),
        said=words.drawn_sentence(cell, model),
        points=words.signed(cell.change),
        people_points=words.signed(cell.people.change),
    )


def _mean(mean: float, sd: float | None) -> str:
    return number(mean, 1) if sd is None else f"{number(mean, 1)} ± {number(sd, 1)}"


def methodology(banks: Sequence[ItemBank]) -> Context | None:
    """How alignment is made; None while no bank of EmotionBench is loaded."""
    bank = next((each for each in banks if each.benchmark == EMOTION_BENCH.bank and each.shows_items), None)
    if bank is None:
        return None
    rows = people_rows(bank)
    return {
        "rules": _rules(bank),
        "plans": [
            (name, default, evoked, words.PLAN_WORDS[name].partition(", ")[2])
            for name, (default, evoked) in PLANS.items()
        ],
        "temperature": number(GENERATION.temperature, 0),
        "attempts": GENERATION.attempts,
        "least_evoked": f"{100 * LEAST_EVOKED:.0f} %",
        "least_default": f"{100 * LEAST_DEFAULT:.0f} %",
        "n_factors": sum(row.level == FACTOR for row in rows),
        "n_emotions": sum(row.level == EMOTION for row in rows),
        "people": _n_people(bank),
        "bank": bank.slug,
    }


def _bank(found: OfRanking) -> ItemBank | None:
    bank = ItemBank.objects.filter(pk=found.bank_id).first() if found.bank_id else None
    return bank if bank and bank.shows_items else None


def _n_people(bank: ItemBank) -> str:
    rows = people_rows(bank)
    return f"{rows[0].n:,}" if rows else ""
