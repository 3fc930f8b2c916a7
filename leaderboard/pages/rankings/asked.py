"""What the address of a ranking asks for, and back into an address. Nothing in it is trusted, and nothing in it is an
error: what is unknown, unreadable or out of bounds counts as not asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from decimal import Decimal
from urllib.parse import urlencode

from django.http import QueryDict

from leaderboard.pages.rankings.columns import every_column
from leaderboard.wording.vouching import LEVELS

SEARCH_LENGTH = 120
MOST_PINS = 20
MOST_MARKS = 4
MOST_ITEMS = 100_000
LARGEST_SIZE = 1e6  # billions of parameters

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
    def ends(self) -> tuple[str, str]:
        """Both bounds as a number field shows them; "" for none."""
        return bound(self.low), bound(self.high)

    @property
    def words(self) -> str:
        """Short, in billions: "≤ 10", "> 40", "8 to 13"; "Any size" without bounds."""
        low, high = self.ends
        if low and high:
            return f"{low} to {high}"
        return f"≤ {high}" if high else f"> {low}" if low else "Any size"

    def holds(self, billion: float | None) -> bool:
        """Whether a known size lies in the range."""
        if billion is None:
            return not self.param
        return (self.low is None or billion > self.low) and (self.high is None or billion <= self.high)


SIZES = (SizeRange(None, 3), SizeRange(None, 10), SizeRange(None, 40), SizeRange(40, None))


@dataclass(frozen=True, slots=True)
class RankingRequest:
    """One view of a ranking. The defaults are the whole table by rank.

    `answers` leaves only rows whose answers are stored; `unknown` keeps rows whose size, weights or date is not known,
    which filters on these hide otherwise. `columns` are the chosen ones in the order of
    `known_columns`, None for those that the ranking shows at first. `pins`
    are slugs of models that stand on top as well; `marks` those that are ticked for a comparison. `rows` is ALL where
    all rows shall stand on one page. `whole_axis`: scores are drawn on the whole axis of the measure.
    """

    search: str = ""
    organisation: str = ""
    weights: str = ""
    size: SizeRange = SizeRange()
    origin: str = ""
    vouched: str = ""
    since: date | None = None
    added: date | None = None
    until: date | None = None
    unknown: bool = False
    min_items: int = 0
    answers: bool = False
    demo: bool = False
    sort: str = ""
    columns: tuple[str, ...] | None = None
    pins: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    rows: str = ""
    whole_axis: bool = False
    page: str = ""

    @classmethod
    def of(cls, query: QueryDict) -> "RankingRequest":
        """What the parameters of an address ask for."""
        return cls(
            search=text(query, "q"),
            organisation=text(query, "org"),
            weights=word(query, "weights", WEIGHTS),
            size=typed_size(query) or size_range(query.get("size", "")),
            origin=word(query, "origin", ORIGINS),
            vouched=word(query, "vouched", LEVELS),
            since=day(query.get("since", "")),
            added=day(query.get("added", "")),
            until=day(query.get("until", "")),
            unknown="unknown" in query,
            min_items=whole(query.get("items", "")),
            answers="answers" in query,
            demo="demo" in query,
            sort=other_than(text(query, "sort"), "rank"),
            columns=columns(query),
            pins=slugs(query, "pin", MOST_PINS),
            marks=slugs(query, "m", MOST_MARKS),
            rows=word(query, "rows", (ALL,)),
            whole_axis="axis" in query,
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
        own_size = bool(self.size.param) and self.size not in SIZES
        dates = (self.since, self.until, self.added)
        chosen = (self.organisation, self.weights, self.origin, self.vouched, *dates, self.min_items, self.answers)
        return own_size + self.unknown + sum(map(bool, chosen))

    @property
    def chosen(self) -> bool:
        """Whether the columns were chosen."""
        return self.columns is not None

    def without_filters(self) -> "RankingRequest":
        plain = RankingRequest()
        return replace(self, page="", **{name: getattr(plain, name) for name in FILTERS})

    @property
    def selection(self) -> "RankingRequest":
        """The same rows in the same order, all of them, and nothing of how the page shows them: what exports take."""
        return replace(self, columns=None, pins=(), marks=(), rows="", whole_axis=False, page="")

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


FILTERS = (
    "search", "organisation", "weights", "size", "origin", "vouched", "since", "until", "added", "unknown", "min_items",
    "answers",
)  # fmt: skip
PARAMS: Mapping[str, str] = {
    "search": "q",
    "organisation": "org",
    "weights": "weights",
    "size": "size",
    "origin": "origin",
    "vouched": "vouched",
    "since": "since",
    "added": "added",
    "until": "until",
    "unknown": "unknown",
    "min_items": "items",
    "answers": "answers",
    "demo": "demo",
    "sort": "sort",
    "columns": "c",
    "pins": "pin",
    "marks": "m",
    "rows": "rows",
    "whole_axis": "axis",
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


def columns(query: QueryDict) -> tuple[str, ...] | None:
    chosen = query.getlist("c")
    known = tuple(name for name in known_columns() if name in chosen) if chosen else ()
    return known if known or NO_COLUMN in chosen else None


def known_columns() -> tuple[str, ...]:
    """The columns that an address may name: those with a tick box in any ranking."""
    return tuple(key for key, column in every_column().items() if column.optional)


def typed_size(query: QueryDict) -> SizeRange | None:
    """What the two number fields of the form hold; None where the address has none of them."""
    if "size_from" not in query and "size_to" not in query:
        return None
    return size_range(f"{query.get('size_from', '').strip()}-{query.get('size_to', '').strip()}")


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
    """All digits of a bound, without an exponent, as `known` takes it: the links of a page keep its rows."""
    return "" if value is None else f"{Decimal(repr(value)).normalize():f}"


def day(value: str) -> date | None:
    try:
        return date.fromisoformat(value) if len(value) == 10 else None
    except ValueError:
        return None


def whole(value: str) -> int:
    return min(int(value), MOST_ITEMS) if value.isascii() and value.isdigit() and len(value) <= 9 else 0
