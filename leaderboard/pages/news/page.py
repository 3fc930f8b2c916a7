"""What is new on the board: scores that joined, moved or were corrected, and item banks that were loaded.

Grouped by day and kind, so that a day of 60 imports is one line. Rankings of private banks are left out.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby, pairwise
from typing import Literal

from django.db.models import Count, Max, Q, QuerySet, Sum, Value

from evaluation.models import Access, ItemBank, Origin
from leaderboard import rounding
from leaderboard.kinds import banks_without_items
from leaderboard.models import RankingDay, Standing
from leaderboard.pages.rankings.directory import Ranking, described, loaded_banks
from leaderboard.pages.rankings.orders import Named, is_private, models_on, of_private_bank, private_rankings
from leaderboard.pages.shared.corrections import newest_correction_days, newest_corrections
from leaderboard.standings.keys import ranking_key
from leaderboard.standings.orders import PastRow, moves, unpacked

Kind = Literal["added", "moved", "corrected"]
KINDS: tuple[Kind, ...] = ("added", "moved", "corrected")
RECENT = timedelta(days=30)
"""The strip on the rankings page is hidden when nothing is younger."""
SHOWN = timedelta(days=365)
MOST_LINES = 100
"""Rows of one event that the page unfolds."""
MOST_CORRECTIONS = 200
MOST_DAYS = 60
"""Stored orders per ranking that are looked at for moves."""


@dataclass(frozen=True, slots=True)
class Line:
    """One score within an event. `before` is the old rank or score, "" for what was added."""

    name: str
    slug: str
    before: str
    now: str
    ranks: str
    run_id: int | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened. `head` is its subject in bold, `text` the rest of the sentence, `n` how many scores."""

    day: date
    kind: Kind
    head: str
    text: str
    n: int
    lines: tuple[Line, ...]
    ranking: Ranking | None = None
    run_id: int | None = None
    bank: str = ""

    @property
    def n_more(self) -> int:
        return self.n - len(self.lines)


@dataclass(frozen=True, slots=True)
class Day:
    day: date
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class NewsPage:
    days: tuple[Day, ...]
    kind: str
    since: date | None


@dataclass(frozen=True, slots=True)
class Strip:
    """The line on the rankings page: how many scores were added, corrected and moved, and the newest day."""

    newest: date
    added: int
    corrected: int
    moved: int

    @property
    def words(self) -> str:
        parts = ((self.added, "added"), (self.corrected, "corrected"), (self.moved, "moved"))
        return ", ".join(f"{rounding.counted(n, 'score')} {word}" for n, word in parts if n)


def news_page(today: date, kind: str = "", since: date | None = None) -> NewsPage:
    first = max(since, today - SHOWN) if since else today - SHOWN
    found = [event for event in events(first) if kind in {"", event.kind}]
    days = groupby(found, key=lambda event: event.day)
    return NewsPage(tuple(Day(day, tuple(own)) for day, own in days), kind, since)


def news_strip(today: date) -> Strip | None:
    """None where nothing happened within RECENT. Two queries."""
    since = today - RECENT
    come = public_scores(since).order_by().annotate(kind=Value("added")).values_list("kind")
    moves_lately = RankingDay.objects.filter(~of_private_bank(), day__gte=since, n_moved__gt=0)
    moved = moves_lately.order_by().annotate(kind=Value("moved"))
    both = come.annotate(n=Count("pk"), last=Max("added_on")).union(
        moved.values_list("kind").annotate(n=Sum("n_moved"), last=Max("day")), all=True
    )
    counted = {kind: (n or 0, last) for kind, n, last in both}
    corrected = [day for day in newest_correction_days(MOST_CORRECTIONS) if day >= since]
    days = [day for day in (*(last for _, last in counted.values()), *corrected) if day]
    n_added, n_moved = (counted.get(kind, (0, None))[0] for kind in ("added", "moved"))
    return Strip(max(days), n_added, len(corrected), n_moved) if days else None


def public_scores(since: date) -> QuerySet[Standing]:
    """The standings that came since a day, without baselines, demonstrations and rows of private banks."""
    private = Q(run__isnull=True, origin__in=(Origin.MEASURED, Origin.IMPORTED))
    rows = Standing.objects.filter(added_on__gte=since).exclude(private)
    return rows.exclude(origin__in=(Origin.BASELINE, Origin.DEMO))


def events(since: date) -> list[Event]:
    """Everything since a day, newest first. At most six queries, and two per ranking with a move."""
    banks, private = loaded_banks(), private_rankings()
    found = [
        *added(since, banks),
        *banks_added(since),
        *moved(since, banks, private),
        *corrected(since, banks),
    ]
    return sorted(found, key=lambda event: (-event.day.toordinal(), KINDS.index(event.kind), -event.n))


def added(since: date, banks: Mapping[str, Ranking]) -> Iterable[Event]:
    """One event for each day, ranking and origin."""
    order = ("-added_on", "ranking", "origin", "rank", "-score")
    rows = public_scores(since).select_related("model").order_by(*order)
    for (day, key, origin), own in groupby(rows, key=lambda row: (row.added_on, row.ranking, row.origin)):
        standings = list(own)
        ranking = described(key, banks)
        lines = tuple(added_line(row, ranking.benchmark) for row in standings[:MOST_LINES])
        what = {Origin.PUBLISHED: "published score", Origin.IMPORTED: "imported score"}.get(Origin(origin), "score")
        if len(standings) == 1:
            (line,) = lines
            head, text = (
                line.name,
                f"with {line.now} on {ranking.title}{ranks_words(line.ranks)}.",
            )
        else:
            head, text = rounding.counted(len(standings), what), f"on {ranking.title}."
        run_id = lines[0].run_id if len(standings) == 1 else None
        yield Event(day, "added", head, text, len(standings), lines, ranking, run_id)


def ranks_words(ranks: str) -> str:
    if not ranks:
        return ""
    return f", possible ranks {ranks}" if "–" in ranks else f", rank {ranks}"


def about(row: Standing | PastRow) -> str:
    return "≈" if row.approximate else ""


def added_line(row: Standing, benchmark: str) -> Line:
    known = row.rank and row.rank_low and row.rank_high
    ranks = about(row) + rounding.ranks(row.rank_low or 0, row.rank_high or 0) if known else ""
    score = rounding.score_number(row.score, benchmark)
    return Line(str(row.model), row.model.slug, "", score, ranks, row.run_id)


def banks_added(since: date) -> Iterable[Event]:
    """The item banks; those whose items have pages lead to these."""
    banks = ItemBank.objects.exclude(access=Access.PRIVATE).filter(loaded_at__date__gte=since)
    without_pages = banks_without_items()
    for bank in banks.annotate(n=Count("items")).order_by("pk"):
        text = f", an item bank of {rounding.counted(bank.n, 'item')}."
        shown = "" if bank.benchmark in without_pages else bank.slug
        yield Event(bank.loaded_at.date(), "added", bank.title, text, 0, (), bank=shown)


def moved(since: date, banks: Mapping[str, Ranking], private: set[str]) -> Iterable[Event]:
    """One event for each day on which models of a ranking changed their rank."""
    recent = RankingDay.objects.filter(day__gte=since).order_by().values_list("ranking", flat=True).distinct()
    for key in sorted(recent):
        if is_private(key, private):
            continue
        stored = list(RankingDay.objects.filter(ranking=key).order_by("-day")[:MOST_DAYS])
        names = models_on(key) if len(stored) > 1 else {}
        for now, before in pairwise(stored):
            if now.day >= since:
                old, new = unpacked(bytes(before.content)), unpacked(bytes(now.content))
                yield from move_of(now.day, described(key, banks), old, new, names)


def move_of(
    day: date, ranking: Ranking, old: Sequence[PastRow], new: Sequence[PastRow], names: Mapping[int, Named]
) -> Iterable[Event]:
    pairs = [(was, now, names[now.model_id]) for was, now in moves(old, new) if now.model_id in names]
    if not pairs:
        return
    pairs.sort(key=lambda pair: (-abs((pair[0].rank or 0) - (pair[1].rank or 0)), pair[1].rank))
    lines = tuple(
        Line(
            name.name,
            name.slug,
            str(was.rank),
            str(now.rank),
            about(now) + rounding.ranks(now.low, now.high) if now.low and now.high else "",
        )
        for was, now, name in pairs[:MOST_LINES]
    )
    largest = lines[0]
    others = f", and {rounding.counted(len(pairs) - 1, 'other model')}" if len(pairs) > 1 else ""
    head = f"{largest.name} from rank {largest.before} to {largest.now}"
    yield Event(
        day, "moved", head, f"{others} on {ranking.title}. {why(old, new)}".lstrip(), len(pairs), lines, ranking
    )


def why(old: Sequence[PastRow], new: Sequence[PastRow]) -> str:
    """What changed the ranks, in one sentence."""
    was, now = ({row.model_id: row.score for row in rows if row.rank} for rows in (old, new))
    come, gone = len(now.keys() - was.keys()), len(was.keys() - now.keys())
    changed = sum(was[pk] != now[pk] for pk in was.keys() & now.keys())
    parts = [(come, "joined"), (gone, "left"), (changed, "changed")]
    said = [f"{rounding.counted(n, 'score')} {word}" for n, word in parts if n]
    return f"{', '.join(said)}." if said else "No score changed."


def corrected(since: date, banks: Mapping[str, Ranking]) -> Iterable[Event]:
    for change in newest_corrections(MOST_CORRECTIONS):
        if change.at.date() >= since:
            scores = (change.old_score, change.new_score)
            old, new = (rounding.score_number(score, change.run.benchmark) for score in scores)
            run = change.run
            ranking = described(ranking_key(run.bank.slug, run.bank.benchmark, run.benchmark, run.variant), banks)
            text = f"on {ranking.title}, from {old} to {new}."
            if change.old_version != change.new_version:
                text += f" It was recomputed with scorer {change.new_version}."
            yield Event(change.at.date(), "corrected", change.model, text, 1, (), run_id=change.run_id)
