"""Files of counts: one line a cell, scope, responder, good, with n or with bad and okay, and if wanted raters, basis.

No database in here.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from evaluation.importers.study_lines import NAME_LENGTH, WHOLE, Faults, Known, Names, text_of
from evaluation.importers.tables import Row
from evaluation.signs import spelled
from evaluation.statistics.emotion_labels import VALENCE
from evaluation.statistics.study_figures import ALL, SCOPES, Cell

COUNT_COLUMNS = ("scope", "responder", "good")
COUNT_EXTRAS = ("n", "bad", "okay", "raters", "basis")
LEVELS = ("bad", "okay", "good")
MOST_RATINGS = 999_999_999
_PARTS = {
    ALL: [scope for scope in SCOPES if scope != ALL],
    **{scope: [name for name, valence in VALENCE.items() if valence == scope] for scope in SCOPES if scope != ALL},
}
_NAMES = {ALL: "positive and negative", "positive": "the positive emotions", "negative": "the negative emotions"}


@dataclass
class Counts:
    """What has been read of a file of counts."""

    known: Known | None = None
    names: Names = field(default_factory=Names)
    cells: dict[str, dict[str, Cell]] = field(default_factory=lambda: defaultdict(dict))
    lines: dict[tuple[str, str], int] = field(default_factory=dict)
    n_raters: dict[str, tuple[int, int]] = field(default_factory=dict)  # responder -> raters, first line

    def __post_init__(self) -> None:
        self.names.known = self.known

    def add(self, row: Row) -> None:
        """Raises TableError for the first fault of the line."""
        scope, responder = row.cells["scope"].strip().casefold(), self.names.checked(row)
        if scope not in SCOPES and scope not in VALENCE:
            raise row.error(
                "scope",
                f'"{spelled(scope)[:40]}" is no scope. Fix: write {", ".join(SCOPES)} or one of the 32 emotions.',
            )
        first = self.lines.setdefault((scope, responder), row.line)
        if first != row.line:
            raise row.error(
                "scope", f"this scope of the responder is in line {first} already. Fix: keep one of the two."
            )
        self._note_raters(row, responder)
        self.cells[scope][responder] = _counted(row, responder)

    def _note_raters(self, row: Row, responder: str) -> None:
        number = _whole_or_none(row, "raters")
        if number is None:
            return
        if not number:
            raise row.error("raters", "nobody rated. Fix: write how many people did, or nothing.")
        known, line = self.n_raters.setdefault(responder, (number, row.line))
        if known != number:
            raise row.error(
                "raters", f"is {number} here and {known} in line {line}. Fix: write one number a responder."
            )

    def check_whole(self, name: str, faults: Faults) -> None:
        """The valences make all prompts, and the emotions those of one valence; of some alone there are no more."""
        for scope, parts in _PARTS.items():
            for responder, whole in self.cells.get(scope, {}).items():
                known = [self.cells[part][responder] for part in parts if responder in self.cells.get(part, {})]
                if fault := _sum_fault(whole, known, are_all=len(known) == len(parts)):
                    place = f"{name}, line {self.lines[(scope, responder)]}"
                    faults.note(f"{place}, {fault} of {_NAMES[scope]}. Fix: correct the wrong one of these lines.")


def _sum_fault(whole: Cell, parts: Sequence[Cell], *, are_all: bool) -> str:
    """The column that the parts contradict, with both numbers; "" for none. A level may be known of some alone."""
    for column in ("n", "good", "okay", "bad"):
        own, others = getattr(whole, column), [getattr(part, column) for part in parts]
        if not others or own is None or None in others:
            continue
        if sum(others) > own or (are_all and sum(others) != own):
            return f"{column}: {own} is {'not' if are_all else 'less than'} the sum {sum(others)}"
    rest = sum(part.n - part.good for part in parts)
    if rest > whole.n - whole.good:
        return f"good: leaves {whole.n - whole.good} that are not Good, less than the sum {rest}"
    return ""


def _counted(row: Row, responder: str) -> Cell:
    bad, okay, good, n = (_whole_or_none(row, column) for column in (*LEVELS, "n"))
    if good is None:
        raise row.error("good", "is empty. Fix: write how many ratings are Good.")
    if (bad is None) is not (okay is None):
        raise row.error("bad" if bad is None else "okay", "is empty. Fix: fill in both bad and okay, or neither.")
    total = n if bad is None or okay is None else bad + okay + good
    if total is None or total < 1:
        raise row.error("n", "no number of ratings. Fix: fill in n, or both bad and okay.")
    if total > MOST_RATINGS:
        raise row.error("n", f"is more than {MOST_RATINGS:,} ratings. Fix: correct the number.")
    if n is not None and n != total:
        raise row.error("n", f"is {n}, while bad, okay and good add up to {total}. Fix: correct one of them.")
    if good > total:
        raise row.error("good", f"is {good} of {total} ratings. Fix: correct one of them.")
    basis = text_of(row, "basis", NAME_LENGTH, required=False) if "basis" in row.cells else ""
    return Cell(responder, total, good, bad, okay, basis=basis)


def _whole_or_none(row: Row, column: str) -> int | None:
    text = row.cells.get(column, "").strip()
    if text and not WHOLE.fullmatch(text):
        raise row.error(column, f'"{spelled(text)[:40]}" is no whole number. Fix: write digits only, at most nine.')
    return int(text) if text else None
