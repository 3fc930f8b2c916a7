"""Files of ratings: one line a rating, item_id, responder, rater, value; optional: emotion, seconds, created_at, wave.

No database in here.
"""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from evaluation.importers.study_counts import LEVELS
from evaluation.importers.study_lines import CODE_LENGTH, WHOLE, Faults, Known, Names, text_of
from evaluation.importers.tables import Row
from evaluation.signs import spelled
from evaluation.statistics.emotion_labels import VALENCE
from evaluation.statistics.raters import raters_of
from evaluation.statistics.study_figures import ALL, Cell

RATING_COLUMNS = ("item_id", "responder", "rater", "value")
RATING_EXTRAS = ("emotion", "seconds", "created_at", "wave")
MOST_WAVES = 1000
Coding = Literal["words", "1-3", "0-2"]
CODINGS: Mapping[Coding, tuple[str, str, str]] = {
    "words": LEVELS,
    "1-3": ("1", "2", "3"),  # the published file
    "0-2": ("0", "1", "2"),  # what the authors' rating tool writes
}
_Group = tuple[str, int | None]  # responder and wave; without a stored study the wave is None, so waves are pooled
_SECONDS = re.compile(r"\d{1,9}(\.\d{1,9})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Rated:
    """One rating. `level` is 0 (Bad), 1 (Okay) or 2 (Good); `rater` is "" where nobody knows it.

    `wave` is None where the file does not say it.
    """

    line: int
    item: str
    responder: str
    rater: str
    level: int
    seconds: float | None
    at: datetime | None
    wave: int | None


@dataclass(slots=True)
class _Tally:
    """One cell while it is counted: levels, and for each rater the number of Good and of all ratings."""

    levels: list[int] = field(default_factory=lambda: [0, 0, 0])
    by_rater: dict[str, list[int]] = field(default_factory=dict)

    def add(self, level: int, rater: str) -> None:
        self.levels[level] += 1
        if rater:
            counts = self.by_rater.setdefault(rater, [0, 0])
            counts[0] += level == LEVELS.index("good")
            counts[1] += 1

    def cell(self, responder: str) -> Cell:
        bad, okay, good = self.levels
        # Sorted, so that the order of the file's lines does not show in the last digits of sums.
        counts, n = sorted(self.by_rater.values()), bad + okay + good
        # The raters of one wave may be known and those of another not: then no figure by rater is that of the cell.
        all_known = counts and sum(own for _, own in counts) == n
        raters = raters_of([own for own, _ in counts], [n for _, n in counts]) if all_known else None
        return Cell(responder, n, good, bad, okay, raters)


@dataclass
class Ratings:
    """What has been read of a file of ratings, with what each further line is checked against."""

    coding: Coding
    per_reply: int
    per_rater: int | None
    known: Known | None = None
    names: Names = field(default_factory=Names)
    ratings: list[Rated] = field(default_factory=list)
    raters: dict[str, tuple[_Group, int]] = field(default_factory=dict)  # rater -> group, first line
    n_of_raters: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    replies: dict[tuple[str, _Group], list[int]] = field(default_factory=lambda: defaultdict(list))  # -> lines
    seen: dict[tuple[str, str], int] = field(default_factory=dict)  # rater and item -> line
    emotions: dict[str, tuple[str, int]] = field(default_factory=dict)  # item -> emotion, first line
    named: dict[_Group, int] = field(default_factory=dict)  # responder and wave -> first line with a rater
    unnamed: dict[_Group, int] = field(default_factory=dict)  # responder and wave -> first line without
    tallies: dict[str, dict[str, _Tally]] = field(default_factory=lambda: defaultdict(dict))

    def __post_init__(self) -> None:
        self.names.known = self.known

    @property
    def rows(self) -> int:
        return len(self.ratings)

    def add(self, row: Row) -> None:
        """Raises TableError for the first fault of the line."""
        item, responder = text_of(row, "item_id", CODE_LENGTH), self.names.checked(row)
        rater = text_of(row, "rater", CODE_LENGTH, required=False)
        level, emotion = self._level(row), self._emotion(row, item)
        seconds, at, wave = _seconds(row), _moment(row), _wave(row)
        group = (responder, wave if self.known else None)
        (self.named if rater else self.unnamed).setdefault((responder, wave), row.line)
        self._check_rater(row, group, rater)
        self._check_reply(row, item, group, rater)
        self.ratings.append(Rated(row.line, item, responder, rater, level, seconds, at, wave))
        for scope in (ALL, VALENCE[emotion], emotion) if emotion else (ALL,):
            self.tallies[scope].setdefault(responder, _Tally()).add(level, rater)

    def _level(self, row: Row) -> int:
        words = CODINGS[self.coding]
        value = row.cells["value"].strip().casefold()
        if value in words:
            return words.index(value)
        said = f'"{spelled(row.cells["value"].strip())[:40]}"'
        if self.coding == "words" and WHOLE.fullmatch(value):
            raise row.error(
                "value", f"{said} is a number. Fix: say how the file counts, with --coding 1-3 or --coding 0-2."
            )
        names = ", ".join(words) if self.coding != "words" else "Bad, Okay, Good"
        raise row.error("value", f"{said} is not one of {names}. Fix: write one of these, or name another --coding.")

    def _emotion(self, row: Row, item: str) -> str:
        stored = self._stored_emotion(row, item)
        if "emotion" not in row.cells:
            return stored
        emotion = row.cells["emotion"].strip().casefold()
        if emotion not in VALENCE:
            said = f'"{spelled(emotion)[:40]}"'
            raise row.error("emotion", f"{said} is not one of the 32 labels. Fix: write one of {', '.join(VALENCE)}.")
        known, line = self.emotions.setdefault(item, (emotion, row.line))
        if known != emotion:
            raise row.error("emotion", f'the same item has "{known}" in line {line}. Fix: give each item one emotion.')
        if stored and stored != emotion:
            raise row.error("emotion", f'this item has "{stored}" in the study. Fix: write that, or leave it out.')
        return emotion

    def _stored_emotion(self, row: Row, item: str) -> str:
        """ "" where no study is at hand."""
        if self.known is None:
            return ""
        if item not in self.known.emotions:
            said = f'"{spelled(item)[:40]}"'
            raise row.error(
                "item_id", f"{said} is no item of this study. Fix: correct the id, or add the prompt first."
            )
        return self.known.emotions[item]

    def _check_rater(self, row: Row, group: _Group, rater: str) -> None:
        """The code of a rater is never quoted: it may be one of a platform."""
        if not rater:
            return
        known, line = self.raters.setdefault(rater, (group, row.line))
        if known != group and known[0] == group[0]:
            raise row.error(
                "rater",
                f"took part in another wave in line {line} already, and a rater takes part once. "
                "Fix: take out the ratings of one of the two, or give each person a code.",
            )
        if known != group:
            raise row.error(
                "rater",
                f'has rated "{known[0]}" in line {line} already, and a rater rates one responder only. '
                "Fix: take out the ratings of one of the two, or give each person a code.",
            )

    def _check_reply(self, row: Row, item: str, group: _Group, rater: str) -> None:
        lines = self.replies[(item, group)]
        again = self.seen.setdefault((rater, item), row.line) if rater else row.line
        if again != row.line:
            raise row.error("item_id", f"the same rater rated this reply in line {again}. Fix: take out one line.")
        if len(lines) >= self.per_reply:
            allowed = f"{self.per_reply} rating{'' if self.per_reply == 1 else 's'} a reply"
            more = "" if self.known else ", or allow more with --ratings-per-reply"  # a study's number is fixed
            raise row.error(
                "item_id",
                f"this reply was rated in line {lines[0]} already, which makes more than {allowed}. "
                f"Fix: take out the line{more}.",
            )
        lines.append(row.line)
        if rater:
            self.n_of_raters[rater] += 1

    def check_whole(self, name: str, faults: Faults) -> None:
        """What can be seen only at the end."""
        for group in self.named.keys() & self.unnamed.keys():
            faults.note(
                f"{name}, line {self.unnamed[group]}, rater: is empty, while line {self.named[group]} names a "
                f'rater of "{group[0]}". Fix: fill it in, or empty the column for this responder.'
            )
        if self.per_rater is not None:
            for rater, number in self.n_of_raters.items():
                if number != self.per_rater:
                    has = f"{number} rating{'' if number == 1 else 's'}"
                    faults.note(
                        f"{name}, line {self.raters[rater][1]}, rater: has {has} in all, not {self.per_rater}. "
                        "Fix: complete them, or take this rater out."
                    )


def _seconds(row: Row) -> float | None:
    text = row.cells.get("seconds", "").strip()
    if text and not _SECONDS.fullmatch(text):
        raise row.error(
            "seconds", f'"{spelled(text)[:40]}" is no number of seconds. Fix: write it as 12 or 12.5, or nothing.'
        )
    return float(text) if text else None


def _moment(row: Row) -> datetime | None:
    """A time without a zone counts as UTC, as all stored times do."""
    text = row.cells.get("created_at", "").strip()
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError) as error:  # OverflowError: in UTC its year is 0 or 10000
        raise row.error(
            "created_at", f'"{spelled(text)[:40]}" is no time. Fix: write it as 2026-11-28T09:30:00, or nothing.'
        ) from error


def _wave(row: Row) -> int | None:
    """None only where the file has no such column, so that no group is partly of a wave that the file names."""
    if "wave" not in row.cells:
        return None
    text = row.cells["wave"].strip()
    if not (WHOLE.fullmatch(text) and 1 <= int(text) <= MOST_WAVES):
        raise row.error(
            "wave",
            f'"{spelled(text)[:40]}" is no number of a wave. Fix: write 1 to {MOST_WAVES}, or delete the column.',
        )
    return int(text)
