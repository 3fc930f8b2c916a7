"""Files of counts: one line a cell, scope, responder, good, with n or with bad and okay, and if wanted raters, basis.

No database in here.
"""

from collections import defaultdict
from dataclasses import dataclass, field

from evaluation.importers.study_lines import NAME_LENGTH, WHOLE, Faults, Known, Names, text_of
from evaluation.importers.tables import Row
from evaluation.signs import spelled
from evaluation.statistics.emotion_labels import VALENCE
from evaluation.statistics.study_figures import ALL, SCOPES, Cell

COUNT_COLUMNS = ("scope", "responder", "good")
COUNT_EXTRAS = ("n", "bad", "okay", "raters", "basis")
LEVELS = ("bad", "okay", "good")


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
        known, line = self.n_raters.setdefault(responder, (number, row.line))
        if known != number:
            raise row.error(
                "raters", f"is {number} here and {known} in line {line}. Fix: write one number a responder."
            )

    def check_whole(self, name: str, faults: Faults) -> None:
        """The two valences make all prompts, for a responder that has the three."""
        for responder, whole in self.cells.get(ALL, {}).items():
            halves = [self.cells[scope].get(responder) for scope in SCOPES if scope != ALL]
            known = [half for half in halves if half is not None]
            sums = (sum(half.n for half in known), sum(half.good for half in known))
            if len(known) == len(halves) and sums != (whole.n, whole.good):
                faults.note(
                    f"{name}, line {self.lines[(ALL, responder)]}, good: {whole.good} of {whole.n} is not the sum of "
                    f"positive and negative, {sums[1]} of {sums[0]}. Fix: correct the wrong one of the three lines."
                )


def _counted(row: Row, responder: str) -> Cell:
    bad, okay, good, n = (_whole_or_none(row, column) for column in (*LEVELS, "n"))
    if good is None:
        raise row.error("good", "is empty. Fix: write how many ratings are Good.")
    if (bad is None) is not (okay is None):
        raise row.error("bad" if bad is None else "okay", "is empty. Fix: fill in both bad and okay, or neither.")
    total = n if bad is None or okay is None else bad + okay + good
    if total is None or total < 1:
        raise row.error("n", "no number of ratings. Fix: fill in n, or both bad and okay.")
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
