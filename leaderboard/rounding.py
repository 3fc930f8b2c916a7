"""Numbers, dates and spans of time as the pages write them: the one place where a value is rounded.

Scores have the decimals of their measure, half intervals and per cents one. A minus is a true one, a missing value an
en dash; a value that is not finite counts as missing. Order and rank never go through here: they use the full value.
"""

from datetime import date, datetime
from math import isfinite

from evaluation.benchmarks.base import Measure
from evaluation.published_tables import measures_of

MISSING = "–"
MINUS = "−"


def number(value: float | None, digits: int) -> str:
    """The value with so many decimals: 70.004 -> "70.00", -6.284 -> "−6.28", None -> "–". Never "−0.00"."""
    if value is None or not isfinite(value):
        return MISSING
    text = f"{abs(value):.{digits}f}"
    return MINUS + text if value < 0 and float(text) else text


def with_sign(value: float | None, digits: int) -> str:
    """The same with a plus above zero: 1.5 -> "+1.50"; what rounds to zero has no sign."""
    text = number(value, digits)
    return f"+{text}" if value is not None and isfinite(value) and value > 0 and float(text) else text


def p_value(value: float | None) -> str:
    """The p of a test: 0.0357 -> "0.036", 0.00042 -> "0.0004", and "<0.0001" below that, never "0.0000"."""
    if value is None or not isfinite(value):
        return MISSING
    if value < 0.0001:
        return "<0.0001"
    return number(value, 4 if value < 0.001 else 3)


def figure(value: float | None, measure: Measure) -> str:
    """A figure of a run or of an item, with the decimals of its measure."""
    return number(value, measure.digits)


def unit(measure: Measure) -> str:
    """ " points" behind a figure; "" where the measure has no unit but its own name."""
    return "" if measure.unit in {"", measure.title} else f" {measure.unit}"


def in_unit(value: float | None, measure: Measure) -> str:
    """A figure with its unit: "74.15 points"."""
    return f"{figure(value, measure)}{unit(measure)}"


def score(value: float | None, benchmark: str) -> str:
    """A figure that ranks, with its unit: "58.25 points", "EQ 117"; in points where no benchmark here has made it."""
    measures = measures_of(benchmark)
    if not measures:
        return f"{points(value)} points"
    name = measures[0].title if measures[0].unit == measures[0].title else ""
    return " ".join(filter(None, [name, in_unit(value, measures[0])]))


def score_number(value: float | None, benchmark: str) -> str:
    """The same without its unit."""
    measures = measures_of(benchmark)
    return figure(value, measures[0]) if measures else points(value)


def points(value: float | None) -> str:
    """A score, in points."""
    return number(value, 2)


def count(value: int | None) -> str:
    """A whole number with its thousands apart: 37995 -> "37,995"."""
    return MISSING if value is None else f"{value:,}".replace("-", MINUS)


def percent(share: float | None) -> str:
    """A share of 0 to 1 in per cent: 0.883 -> "88.3 %"."""
    return MISSING if share is None else f"{number(100 * share, 1)} %"


def size(billion: float | None) -> str:
    """Parameters in billions, as short as they are known: 7.0 -> "7", 0.135 -> "0.135"."""
    return MISSING if billion is None or not isfinite(billion) else f"{billion:.4g}"


def day(value: date | None) -> str:
    """15 Jan 2024; in English whatever the machine's locale."""
    return MISSING if value is None else f"{value.day} {MONTHS[value.month - 1]} {value.year}"


def month(value: date | None) -> str:
    """Jan 2024: of a date that is known to the month alone."""
    return day(value).partition(" ")[2] or MISSING


def known_date(text: str) -> str:
    """15 Jan 2024, Jan 2024 or 2024: of a date in ISO 8601 to the precision that is known. What is none stays."""
    try:
        known = date.fromisoformat(f"{text}-01" if len(text) == len("2024-01") else text)
    except ValueError:
        return text
    return month(known) if len(text) == len("2024-01") else day(known)


def moment(value: datetime | None) -> str:
    """15 Jan 2024, 14:05 UTC. All stored times are UTC."""
    return MISSING if value is None else f"{day(value)}, {value:%H:%M} UTC"


def duration(seconds: float | None) -> str:
    """3 min 21 s; hours without the seconds."""
    if seconds is None or not isfinite(seconds):
        return MISSING
    minutes, rest = divmod(round(seconds), 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def ranks(low: int, high: int) -> str:
    """A range of ranks: "3–7", or "88" when it is one."""
    return str(low) if low == high else f"{low}–{high}"


def counted(n: int, word: str, plural: str = "") -> str:
    """1 model, 2 models; 1 reply, 2 replies."""
    return f"{count(n)} {word if n == 1 else plural or word + 's'}"


MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
