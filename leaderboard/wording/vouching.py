"""Who vouches for a score, in words. Pure: no query."""

from collections.abc import Mapping
from dataclasses import dataclass

STAFF, MAKER, HOST, SUBMITTER, FILE, PUBLISHED = "staff", "maker", "host", "submitter", "file", "published"


@dataclass(frozen=True, slots=True)
class Voucher:
    """`word` fits a cell, `words` complete "Vouched for by", `meaning` says what was checked, and by whom."""

    word: str
    words: str
    meaning: str


VOUCHERS: Mapping[str, Voucher] = {
    STAFF: Voucher(
        "Staff",
        "staff, who ran it",
        "Staff of this board chose the endpoint, started the run and scored the replies.",
    ),
    MAKER: Voucher(
        "Maker",
        "the maker, checked by its domain",
        "The secret code of the submission was found on a domain that staff recorded as the maker’s. The board "
        "asked the questions and scored the replies.",
    ),
    HOST: Voucher(
        "Host",
        "the endpoint’s host, checked by its domain",
        "The secret code of the submission was found on the endpoint’s own host. So its operator submitted the model; "
        "nobody checked that this is the maker.",
    ),
    SUBMITTER: Voucher(
        "Submitter",
        "a submitter, unchecked",
        "Somebody sent the address of an endpoint. The board asked the questions and scored the replies, but nobody "
        "checked who answers there.",
    ),
    FILE: Voucher(
        "File",
        "nobody (from a file)",
        "The replies or answers are from a file. The board scored them, but cannot tell where they come from.",
    ),
    PUBLISHED: Voucher(
        "Published",
        "its source",
        "The score is quoted from its source. The board stores no answers behind it.",
    ),
}
"""Who vouches -> its words, the strongest first. Baselines and demonstrations have none: they are no models."""

LEVELS = tuple(VOUCHERS)
OF_ORIGIN: Mapping[str, tuple[str, ...]] = {
    "measured": (STAFF, MAKER, HOST, SUBMITTER),
    "imported": (FILE,),
    "published": (PUBLISHED,),
}
"""Origin of a row -> who may vouch for it."""


def weakest(levels: set[str]) -> str:
    """The weakest of the runs behind a score; "" where none of them is of a model."""
    return max(filter(None, levels), key=LEVELS.index, default="")


def offered(origins: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Level and word of all who may vouch for rows of these origins."""
    return tuple((level, VOUCHERS[level].word) for origin in origins for level in OF_ORIGIN.get(origin, ()))


def word_of(level: str) -> str:
    voucher = VOUCHERS.get(level)
    return voucher.word if voucher else ""


def words_of(level: str) -> str:
    voucher = VOUCHERS.get(level)
    return voucher.words if voucher else ""
