"""The wide form of a file of ratings: one line a prompt, with columns rating_X and annotator_X for each responder X.

It is the form of the authors' public file. No database in here.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from evaluation.importers.study_lines import Lines
from evaluation.importers.tables import Row, TableError

ARMS: Mapping[str, str] = {"chatgpt_empathy": "gpt-4", "chatgpt": "gpt-4-plain-prompt"}
"""Arms of the authors' file -> responders: the first is GPT-4 of the main paper, the second the predecessor's."""
_RATING, _RATER = "rating_", "annotator_"
_IDS = ("item_id", "conv_id")


def is_wide(header: list[str]) -> bool:
    return any(name.startswith(_RATING) for name in header)


class WideRow(Row):
    """One rating of a wide line. Its faults name the columns that the file has."""

    def error(self, field: str, reason: str) -> TableError:
        return Row.error(self, self.cells.get(f"column of {field}", field), reason)


@dataclass(frozen=True, slots=True)
class _Arm:
    """One responder of the file, with the names of its two columns; `rater` is "" where there is none."""

    responder: str
    value: str
    rater: str


class WideLines:
    """The lines of a wide file, one row a rating. An empty cell of a rating is no rating."""

    def __init__(self, lines: Lines) -> None:
        """Raises: StudyFileError where a column is missing or named twice."""
        self.name = lines.name
        self._lines = lines
        self._id = next((name for name in _IDS if name in lines.header), "")
        values = [name for name in lines.header if name.startswith(_RATING)]
        self._arms = [self._arm(name) for name in values]
        used = {self._id, "emotion", *values, *(arm.rater for arm in self._arms)}
        self.skipped = tuple(name for name in lines.header if name not in used)
        lines.check_header([self._id or _IDS[0]], lines.header)

    def _arm(self, value: str) -> _Arm:
        arm = value.removeprefix(_RATING)
        rater = f"{_RATER}{arm}"
        return _Arm(ARMS.get(arm, arm), value, rater if rater in self._lines.header else "")

    def rows(self) -> Iterator[Row]:
        for row in self._lines.rows():
            for arm in self._arms:
                if row.cells[arm.value].strip():
                    yield self._rating(row, arm)

    def _rating(self, row: Row, arm: _Arm) -> Row:
        cells = {
            "item_id": row.cells[self._id],
            "responder": arm.responder,
            "rater": row.cells[arm.rater] if arm.rater else "",
            "value": row.cells[arm.value],
            "column of item_id": self._id,
            "column of value": arm.value,
            "column of responder": arm.value,
            "column of rater": arm.rater or arm.value,
        }
        if "emotion" in row.cells:
            cells["emotion"] = row.cells["emotion"]
        return WideRow(row.file, row.line, cells)
