"""A ranking as it was on a day, from the stored orders; names are those that models have now."""

from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from django.db.models import CharField, Exists, ExpressionWrapper, F, OuterRef, Q, Value
from django.db.models.functions import Concat

from evaluation.models import Access, ItemBank, LanguageModel, Origin
from leaderboard import rounding
from leaderboard.models import RankingDay
from leaderboard.pages.rankings.directory import Ranking, described, loaded_banks
from leaderboard.standings.keys import SEPARATOR
from leaderboard.standings.orders import PastRow, unpacked


class Named(NamedTuple):
    """What a past order says of a model today."""

    name: str
    slug: str
    organisation: str


@dataclass(frozen=True, slots=True)
class PastLine:
    """A row as the page shows it. `model` is None where its score has left the board, which then shows no score."""

    rank: str
    ranks: str
    model: Named | None
    origin: str
    score: str
    half: str
    approximate: bool

    @property
    def is_line(self) -> bool:
        return self.origin == Origin.BASELINE


@dataclass(frozen=True, slots=True)
class PastOrder:
    """The order that held on the day `at`. `since` is the day on which it came up, None where none is stored at all;
    it is later than `at` where the first stored order is younger. `next` is the day on which the order changed."""

    ranking: Ranking
    at: date
    since: date | None
    next: date | None
    lines: tuple[PastLine, ...]

    @property
    def is_first(self) -> bool:
        """Whether no order is stored that is as old as the day that was asked for."""
        return self.since is not None and self.since > self.at

    @property
    def n_ranked(self) -> int:
        return sum(bool(line.rank) for line in self.lines)


def order_at(key: str, at: date) -> PastOrder | None:
    """The order of a ranking at the end of a day; None where there is none, or it is private. Five queries."""
    banks, days = loaded_banks(), RankingDay.objects.filter(ranking=key)
    held = days.filter(day__lte=at).order_by("-day").first() or days.order_by("day").first()
    if (key not in banks and held is None) or is_private(key, private_rankings()):
        return None
    since = held.day if held else None
    following = days.filter(day__gt=since or at).order_by("day").values_list("day", flat=True).first()
    ranking = described(key, banks)
    lines = lines_of(ranking, unpacked(bytes(held.content))) if held else ()
    return PastOrder(ranking, at, since, following, lines)


def private_rankings() -> set[str]:
    """Slugs of private banks. Their orders are not stored, and one that became private shows its old ones no more."""
    return set(ItemBank.objects.filter(access=Access.PRIVATE).values_list("slug", flat=True))


def is_private(ranking: str, private: set[str]) -> bool:
    return ranking in private or ranking.partition(SEPARATOR)[0] in private


def of_private_bank() -> Exists:
    """The same as a condition on rows with a `ranking`."""
    banks = ItemBank.objects.filter(access=Access.PRIVATE).alias(
        key=ExpressionWrapper(OuterRef("ranking"), output_field=CharField()), start=Concat("slug", Value(SEPARATOR))
    )
    return Exists(banks.filter(Q(slug=F("key")) | Q(key__startswith=F("start"))))


def lines_of(ranking: Ranking, rows: list[PastRow]) -> tuple[PastLine, ...]:
    models = models_on(ranking.key)
    return tuple(line_of(row, models.get(row.model_id), ranking.benchmark) for row in rows)


def models_on(key: str) -> dict[int, Named]:
    """The models with a row in the ranking today. One query."""
    rows = LanguageModel.objects.filter(standings__ranking=key).order_by()
    return {
        pk: Named(display_name or name, slug, organisation)
        for pk, display_name, name, slug, organisation in rows.values_list(
            "pk", "display_name", "name", "slug", "organisation"
        )
    }


def line_of(row: PastRow, model: Named | None, benchmark: str) -> PastLine:
    about = "≈" if row.approximate else ""
    known = row.low is not None and row.high is not None
    ranks = about + rounding.ranks(row.low or 0, row.high or 0) if known and row.rank else ""
    half = None
    if row.interval_low is not None and row.interval_high is not None:
        half = (row.interval_high - row.interval_low) / 2
    return PastLine(
        rank="" if row.rank is None else str(row.rank),
        ranks=ranks,
        model=model,
        origin=row.origin,
        score=rounding.score_number(row.score, benchmark) if model else "",
        half=f"{about or '±'}{rounding.number(half, 1)}" if half and model else "",
        approximate=row.approximate or row.origin == Origin.PUBLISHED,
    )
