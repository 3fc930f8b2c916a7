"""The pages on statistics: what is stored of a ranking and of the board, and what is missing. Five queries at most."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Q, QuerySet

from evaluation.benchmarks.base import JsonValue
from leaderboard.kinds import kind_of
from leaderboard.models import StatisticsSection
from leaderboard.pages.rankings.directory import described, loaded_banks
from leaderboard.pages.statistics.kinds import BY_KEY, KINDS, Kind
from leaderboard.pages.statistics.parts import Claim, Part
from leaderboard.pages.statistics.ready import Ready, html_of, ready_of, told_at, told_words
from leaderboard.pages.statistics.units import value_with_units
from leaderboard.rounding import moment
from leaderboard.statistics.versions import VERSIONS

BOARD = ""
MOST_CLAIMS = 6  # as many as are read in a minute


@dataclass(frozen=True, slots=True)
class Choice:
    """A ranking that can be chosen, or "" for the board as a whole; `sections` are those that apply to it."""

    key: str
    title: str
    sections: frozenset[str] = frozenset(VERSIONS)


@dataclass(frozen=True, slots=True)
class Dated:
    """A claim with the section that it comes from and the day on which this was computed, in words."""

    claim: Claim
    section: str
    computed: str


@dataclass(frozen=True, slots=True)
class Card:
    """A section on the overview: how many models stand behind it and when it was computed, "" where it waits."""

    kind: Kind
    n: int
    computed: str
    title: str
    ranking: str


@dataclass(frozen=True, slots=True)
class Overview:
    """`missing` are the sections that have nothing to say yet. `choices` are the rankings that have statistics."""

    ranking: Choice | None
    choices: tuple[Choice, ...]
    claims: tuple[Dated, ...]
    cards: tuple[Card, ...]

    @property
    def missing(self) -> tuple[Card, ...]:
        return tuple(card for card in self.cards if not card.computed)


@dataclass(frozen=True, slots=True)
class SectionPage:
    """One section of one ranking. `html` is what its page shows, "" where it waits; its files hold all `parts`.
    `computed` has `computed_at` in words."""

    kind: Kind
    ranking: Choice
    choices: tuple[Choice, ...]
    kinds: tuple[Kind, ...]
    n: int
    computed_at: datetime | None
    inputs_hash: str
    computed: str = ""
    finding: str = ""
    html: str = ""
    parts: tuple[Part, ...] = ()

    @property
    def headline(self) -> str:
        return self.finding or f"{self.kind.title}: not enough data yet"


def stamp() -> tuple[object, ...]:
    """What changes whenever a section does. One query."""
    found = StatisticsSection.objects.aggregate(n=Count("pk"), newest=Max("computed_at"))
    return ("statistics", found["n"], found["newest"])


def readable() -> QuerySet[StatisticsSection]:
    """The sections in the form that these pages read. After an update the others wait for the next refresh.

    Values and markup are left in the database until they are asked for: they may hold a row a model.
    """
    known = Q()
    for section, version in VERSIONS.items():
        known |= Q(section=section, version=version)
    return StatisticsSection.objects.filter(known).defer("value", "ready_html")


def overview(asked: str) -> Overview:
    """The findings of a ranking, the fullest one unless another is asked for, and of the board as a whole."""
    places = filled_places()
    choices = choices_of(places)
    chosen = next((choice for choice in choices if choice.key == asked), choices[0] if choices else None)
    wanted = [BOARD] if chosen is None else [BOARD, chosen.key]
    stored = {(row.section, row.ranking): row for row in readable().filter(ranking__in=wanted)}
    found_rows = [(kind, stored.get((kind.key, place_of(kind, chosen)))) for kind in kinds_for(chosen)]
    shown = [(kind, row, ready_of(row) if row else None) for kind, row in found_rows]
    claims = [
        Dated(claim, kind.key, told_words(row))
        for kind, row, ready in shown
        if row and row.n and ready
        for claim in ready.claims
    ]
    return Overview(
        ranking=chosen,
        choices=choices,
        claims=tuple(claims[:MOST_CLAIMS]),
        cards=tuple(card_of(*each, place_of(each[0], chosen)) for each in shown),
    )


def kinds_for(chosen: Choice | None) -> tuple[Kind, ...]:
    """The sections that apply to the ranking, and the one about all rankings; all of them where none is chosen."""
    return KINDS if chosen is None else tuple(kind for kind in KINDS if kind.key in {*chosen.sections, "agree"})


def filled_places() -> dict[str, int]:
    """Ranking -> models behind its scores, the fullest first, of rankings that have something to say. One query."""
    rows = StatisticsSection.objects.filter(section="scores", n__gt=0).exclude(value={})
    measured = dict(StatisticsSection.objects.filter(section="items").values_list("ranking", "n"))
    found = dict(rows.values_list("ranking", "n"))
    return dict(sorted(found.items(), key=lambda pair: (-measured.get(pair[0], 0), -pair[1], pair[0])))


def choices_of(places: Mapping[str, int]) -> tuple[Choice, ...]:
    banks = loaded_banks() if places else {}
    found = [described(key, banks) for key in places]
    return tuple(Choice(each.key, each.title, kind_of(each.benchmark).sections) for each in found)


def place_of(kind: Kind, chosen: Choice | None) -> str:
    return BOARD if kind.of_board or chosen is None else chosen.key


def card_of(kind: Kind, row: StatisticsSection | None, ready: Ready | None, ranking: str) -> Card:
    if row is None or ready is None or not ready.headline:
        return Card(kind, 0, "", kind.missing, ranking)
    return Card(kind, row.n, told_words(row, moment), ready.headline, ranking)


def section_page(key: str, asked: str, *, whole: bool = False) -> SectionPage | None:
    """A section of the ranking asked for, or of the fullest; None: no such section, or no such ranking.

    `whole` gives all parts with all their rows, for files, in place of what the page shows.
    """
    kind = BY_KEY.get(key)
    if kind is None:
        return None
    choices = section_choices(kind)
    chosen = next((choice for choice in choices if choice.key == asked), None)
    if chosen is None and asked:
        return None
    chosen = chosen or choices[0]
    row = readable().filter(section=key, ranking=chosen.key).first()
    page = SectionPage(kind, chosen, choices, kinds_for(chosen if chosen.key else None), 0, None, "")
    if row is None:
        return page
    page = replace(
        page, n=row.n, computed_at=told_at(row), computed=told_words(row, moment), inputs_hash=row.inputs_hash
    )
    if whole:
        return replace(page, parts=tuple(kind.parts(value_with_units(row), row.n)))
    finding = ready_of(row).headline
    return replace(page, finding=finding, html=html_of(row)) if finding else page


def section_choices(kind: Kind) -> tuple[Choice, ...]:
    """The rankings that the section can be shown for; of the other measures the board's own figures come first."""
    board = Choice(BOARD, "Published scores" if kind.key == "correlation" else "All rankings")
    if kind.key in {"banks", "agree"}:
        return (board,)
    found = choices_of(filled_places())
    if kind.of_board:
        held = set(StatisticsSection.objects.filter(section=kind.key, n__gt=0).values_list("ranking", flat=True))
        return (board, *(choice for choice in found if choice.key in held))
    return tuple(choice for choice in found if kind.key in choice.sections) or (board,)


def part_of(page: SectionPage, name: str) -> Part | None:
    return next((part for part in page.parts if part.name == name), None)


def section_json(page: SectionPage) -> dict[str, JsonValue]:
    """All that is stored of a section, with what each of its tables' columns is called."""
    return {
        "section": page.kind.key,
        "ranking": page.ranking.key or None,
        "n": page.n,
        "computed_at": page.computed_at.isoformat() if page.computed_at else None,
        "inputs_sha256": page.inputs_hash,
        "findings": [finding_json(part) for part in page.parts],
    }


def finding_json(part: Part) -> dict[str, JsonValue]:
    return {
        "name": part.name,
        "title": part.title,
        "method": part.formula,
        "source": part.source,
        "sentences": list(part.more),
        "columns": [column.name for column in part.table.columns],
        "rows": rows_json(part.table.rows),
    }


def rows_json(rows: Sequence[Sequence[Any]]) -> list[JsonValue]:
    return [list(row) for row in rows]
