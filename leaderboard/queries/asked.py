"""What the address of a ranking asks for, and back into an address. Nothing in it is trusted, and nothing in it is an
error: what is unknown, unreadable or out of bounds counts as not asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from math import isfinite
from urllib.parse import urlencode

from django.http import QueryDict

from leaderboard.queries.columns import every_column
from leaderboard.rounding import MISSING, size

SEARCH_LENGTH = 120
MOST_PINS = 20
MOST_MARKS = 4
MOST_ITEMS = 100_000
LARGEST_SIZE = 1e6  # billions of parameters

COLUMNS = tuple(key for key, column in every_column().items() if column.optional)
DEFAULT_COLUMNS = tuple(key for key in COLUMNS if every_column()[key].shown)
ALL = "all"
NO_COLUMN = "none"
WEIGHTS = ("open", "closed")
ORIGINS = ("measured", "imported", "published", "baseline", "demo")


@dataclass(frozen=True, slots=True)
class SizeRange:
    """Parameters in billions, above `low` and up to `high`; None is no bound on that side."""

    low: float | None = None
    high: float | None = None

    @property
    def param(self) -> str:
        """The form in an address: "8-40", "-8", "40-"; "" without bounds."""
        if self.low is None and self.high is None:
            return ""
        return f"{bound(self.low)}-{bound(self.high)}"

    @property
    def words(self) -> str:
        if self.low is None:
            return f"Up to {bound(self.high)} billion" if self.high is not None else "Any size"
        return f"Above {bound(self.low)} billion" if self.high is None else f"{self.param.replace('-', ' to ')} billion"

    def holds(self, billion: float | None) -> bool:
        """Whether a size lies in the range; an unknown one does only where there are no bounds."""
        if billion is None:
            return not self.param
        return (self.low is None or billion > self.low) and (self.high is None or billion <= self.high)


SIZES = (SizeRange(None, 8), SizeRange(8, 40), SizeRange(40, None))


@dataclass(frozen=True, slots=True)
class RankingRequest:
    """One view of a ranking. The defaults are the whole table by rank.

    `answers` leaves only rows whose answers are stored. `columns` are the chosen ones in the order of COLUMNS. `pins`
    are slugs of models that stand on top as well; `marks` those that are ticked for a comparison. `rows` is ALL where
    all rows shall stand on one page.
    """

    search: str = ""
    organisation: str = ""
    weights: str = ""
    size: SizeRange = SizeRange()
    origin: str = ""
    since: date | None = None
    min_items: int = 0
    answers: bool = False
    demo: bool = False
    sort: str = ""
    columns: tuple[str, ...] = DEFAULT_COLUMNS
    pins: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    rows: str = ""
    page: str = ""

    @classmethod
    def of(cls, query: QueryDict) -> "RankingRequest":
        """What the parameters of an address ask for."""
        return cls(
            search=text(query, "q"),
            organisation=text(query, "org"),
            weights=word(query, "weights", WEIGHTS),
            size=size_range(query.get("size", "")),
            origin=word(query, "origin", ORIGINS),
            since=day(query.get("since", "")),
            min_items=whole(query.get("items", "")),
            answers="answers" in query,
            demo="demo" in query,
            sort=other_than(text(query, "sort"), "rank"),
            columns=columns(query),
            pins=slugs(query, "pin", MOST_PINS),
            marks=slugs(query, "m", MOST_MARKS),
            rows=word(query, "rows", (ALL,)),
            page=other_than(text(query, "page"), "1"),
        )

    @property
    def filters(self) -> bool:
        """Whether any row may be left out."""
        plain = RankingRequest()
        return any(getattr(self, name) != getattr(plain, name) for name in FILTERS)

    @property
    def only_search(self) -> bool:
        """Whether the search alone may leave rows out."""
        return self.filters and not replace(self, search="").filters

    @property
    def n_hidden_filters(self) -> int:
        """How many filters are set that the form keeps folded."""
        return (self.since is not None) + bool(self.min_items) + self.answers

    @property
    def chosen(self) -> bool:
        """Whether the columns were chosen."""
        return self.columns != DEFAULT_COLUMNS

    def without_filters(self) -> "RankingRequest":
        plain = RankingRequest()
        return replace(self, page="", **{name: getattr(plain, name) for name in FILTERS})

    @property
    def selection(self) -> "RankingRequest":
        """The same rows in the same order, all of them, and nothing of how the page shows them: what exports take."""
        return replace(self, columns=DEFAULT_COLUMNS, pins=(), marks=(), rows="", page="")

    @property
    def params(self) -> list[tuple[str, str]]:
        """Names and values of what differs from the defaults, in a fixed order."""
        plain = RankingRequest()
        changed = [field.name for field in fields(self) if getattr(self, field.name) != getattr(plain, field.name)]
        return [(PARAMS[name], value) for name in changed for value in values_of(name, getattr(self, name))]

    @property
    def query(self) -> str:
        """The query string, with its question mark: "?" alone for the defaults, which is a link to them."""
        return f"?{urlencode(self.params)}"


FILTERS = ("search", "organisation", "weights", "size", "origin", "since", "min_items", "answers")
PARAMS: Mapping[str, str] = {
    "search": "q",
    "organisation": "org",
    "weights": "weights",
    "size": "size",
    "origin": "origin",
    "since": "since",
    "min_items": "items",
    "answers": "answers",
    "demo": "demo",
    "sort": "sort",
    "columns": "c",
    "pins": "pin",
    "marks": "m",
    "rows": "rows",
    "page": "page",
}


def values_of(name: str, value: object) -> list[str]:
    """The value of a field as the texts that an address holds."""
    if isinstance(value, tuple):
        return list(value) or ([NO_COLUMN] if name == "columns" else [])
    if isinstance(value, bool):
        return ["1"]
    return [value.param if isinstance(value, SizeRange) else str(value)]


def text(query: QueryDict, name: str) -> str:
    return query.get(name, "")[:SEARCH_LENGTH].replace("\0", "").strip()


def other_than(value: str, usual: str) -> str:
    """The value, "" in place of the usual one, which needs no place in an address."""
    return "" if value == usual else value


def word(query: QueryDict, name: str, words: Sequence[str]) -> str:
    value = query.get(name, "")
    return value if value in words else ""


def slugs(query: QueryDict, name: str, most: int) -> tuple[str, ...]:
    """The first values of a repeated parameter, each once."""
    values = dict.fromkeys(value[:140] for value in query.getlist(name) if value and "\0" not in value)
    return tuple(values)[:most]


def columns(query: QueryDict) -> tuple[str, ...]:
    chosen = query.getlist("c")
    known = tuple(name for name in COLUMNS if name in chosen)
    return known if known or NO_COLUMN in chosen else DEFAULT_COLUMNS


def size_range(value: str) -> SizeRange:
    low, dash, high = value.partition("-")
    if not dash or not (known(low) and known(high)):
        return SizeRange()
    found = SizeRange(float(low) if low else None, float(high) if high else None)
    return SizeRange() if found.low is not None and found.high is not None and found.low >= found.high else found


def known(value: str) -> bool:
    """Whether a bound is empty or a plain number of 0 to LARGEST_SIZE."""
    if not value:
        return True
    digits = value.replace(".", "", 1)
    return digits.isascii() and digits.isdigit() and len(value) <= 12 and float(value) <= LARGEST_SIZE


def bound(value: float | None) -> str:
    return "" if value is None else size(value) if isfinite(value) else MISSING


def day(value: str) -> date | None:
    try:
        return date.fromisoformat(value) if len(value) == 10 else None
    except ValueError:
        return None


def whole(value: str) -> int:
    return min(int(value), MOST_ITEMS) if value.isascii() and value.isdigit() and len(value) <= 9 else 0
