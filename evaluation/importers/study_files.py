"""Files of ratings or counts of the empathetic-responding study, read whole or refused. No database in here.

A file of ratings has one line a rating: item_id, responder, rater, value; optional: emotion, seconds, created_at, wave.
In its wide form it has one line a prompt: item_id, and rating_X with annotator_X for each responder X.
A file of counts has one line a cell: scope, responder, good, with n or with bad and okay, and if wanted raters, basis.
Columns come in any order. Nothing of a file with a fault is used; each fault names its line, its field and a way out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from evaluation.importers.study_counts import COUNT_COLUMNS, COUNT_EXTRAS, Counts
from evaluation.importers.study_lines import Faults, Known, Lines, StudyFileError, refuse_empty
from evaluation.importers.study_ratings import CODINGS, RATING_COLUMNS, RATING_EXTRAS, Coding, Rated, Ratings
from evaluation.importers.study_wide import WideLines, is_wide
from evaluation.statistics.emotion_labels import VALENCE
from evaluation.statistics.study_figures import SCOPES, Cell

__all__ = ["CODINGS", "COUNT_COLUMNS", "MAX_BYTES", "RATING_COLUMNS", "Coding", "Known", "Rated", "StudyFileError"]
MAX_BYTES = 20_000_000


@dataclass(frozen=True, slots=True)
class StudyFile:
    """A whole file. `cells` is keyed by scope and by emotion; `n_raters` has what a file of counts says about raters.

    `rows` is the number of ratings or of cells. `ratings` has the ratings one by one; `lines` has the line of each cell
    of counts, by scope and responder. `skipped` names the columns of the wide form that were not read, such as texts.
    """

    kind: Literal["ratings", "counts"]
    rows: int
    cells: Mapping[str, Sequence[Cell]]
    n_raters: Mapping[str, int]
    ratings: Sequence[Rated] = ()
    lines: Mapping[tuple[str, str], int] = field(default_factory=dict)
    skipped: Sequence[str] = ()

    @property
    def responders(self) -> list[str]:
        """In the order of the file."""
        return list(dict.fromkeys(cell.responder for cells in self.cells.values() for cell in cells))

    @property
    def pooled_waves(self) -> list[int]:
        """The waves whose ratings the cells hold together; empty for a file that names one wave, or none."""
        waves = {rating.wave for rating in self.ratings if rating.wave is not None}
        return sorted(waves) if len(waves) > 1 else []


def read_study(
    name: str,
    content: bytes,
    *,
    coding: Coding = "words",
    ratings_per_reply: int = 1,
    items_per_rater: int | None = None,
    known: Known | None = None,
) -> StudyFile:
    """The file, of ratings or of counts as its header says.

    Args:
        name: What faults call the file.
        content: UTF-8, with or without a byte order mark; at most MAX_BYTES.
        coding: How a file of ratings writes Bad, Okay and Good.
        ratings_per_reply: How often one reply may be rated.
        items_per_rater: How many ratings each rater has to have; None where that may differ.
        known: Items and responders of a stored study, which the file may name no others than.

    Raises:
        StudyFileError: Any fault.
    """
    if len(content) > MAX_BYTES:
        raise StudyFileError(f"{name}: is larger than {MAX_BYTES // 1_000_000} MB. Fix: leave out what is no rating.")
    lines = Lines(name, content)
    found = Ratings(coding, ratings_per_reply, items_per_rater, known)
    if "value" in lines.header:
        lines.check_header(RATING_COLUMNS, RATING_EXTRAS)
        return _ratings(lines, found)
    if is_wide(lines.header):
        return _ratings(WideLines(lines), found)
    if "scope" in lines.header:
        lines.check_header(COUNT_COLUMNS, COUNT_EXTRAS)
        return _counts(lines, Counts(known))
    return lines.refuse_header(RATING_COLUMNS, COUNT_COLUMNS)


def _ratings(lines: Lines | WideLines, found: Ratings) -> StudyFile:
    faults = Faults()
    faults.all_noted(found.add, lines.rows())
    if not faults.texts:
        found.check_whole(lines.name, faults)
    faults.refuse()
    refuse_empty(lines.name, found.rows, "rating")
    cells = {
        scope: [tally.cell(responder) for responder, tally in found.tallies[scope].items()]
        for scope in (*SCOPES, *VALENCE)
        if scope in found.tallies
    }
    skipped = lines.skipped if isinstance(lines, WideLines) else ()
    return StudyFile("ratings", found.rows, cells, {}, found.ratings, skipped=skipped)


def _counts(lines: Lines, found: Counts) -> StudyFile:
    faults = Faults()
    rows = faults.all_noted(found.add, lines.rows())
    if not faults.texts:
        found.check_whole(lines.name, faults)
    faults.refuse()
    refuse_empty(lines.name, rows, "cell")
    cells = {scope: list(found.cells[scope].values()) for scope in (*SCOPES, *VALENCE) if found.cells.get(scope)}
    n_raters = {name: number for name, (number, _) in found.n_raters.items()}
    return StudyFile("counts", rows, cells, n_raters, lines=found.lines)
