"""The line that `evaluate` draws: what earlier starts stored counts in it, and a run without a score shows none."""

import math
from io import StringIO
from statistics import fmean, stdev

import pytest

from evaluation.progress import Progress
from evaluation.recording import Outcome
from evaluation.states import ItemState
from evaluation.summaries import ResultFields


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def outcome(score: float | None, state: ItemState = ItemState.READ) -> Outcome:
    fields: ResultFields = {
        "state": state, "reading": "official", "answer": None, "reason": "", "flags": "", "score": score,
        "more_parts": None,
    }  # fmt: skip
    return Outcome(item_pk=1, repeat=1, fields=fields, attempts=1)


def drawn(progress: Progress) -> list[str]:
    assert isinstance(progress.out, StringIO)
    return [line for line in progress.out.getvalue().replace("\r\x1b[K", "\n").split("\n") if line]


STORED = [1.0, 2.0, 1.5]
NEW = [9.0, 8.0]


@pytest.mark.parametrize("out", [StringIO, Terminal])
def test_after_going_on_the_score_covers_all_results_of_the_run(out: type[StringIO]) -> None:
    progress = Progress(total=6, out=out())
    progress.begin_from((ItemState.READ, score) for score in STORED)
    progress.begin_from([(ItemState.UNREAD, None)])
    for score in NEW:
        progress.note(outcome(score))
    progress.end(None, None, over=False)
    scores = [10 * score for score in (*STORED, *NEW)]
    half = 1.959964 * stdev(scores) / math.sqrt(len(scores))
    assert "6/6  " in drawn(progress)[-1]
    assert f"score {fmean(scores):.2f} ±{half:.1f}  read 83 %  done" in drawn(progress)[-1]


@pytest.mark.parametrize("out", [StringIO, Terminal])
def test_a_run_that_ends_without_a_score_is_not_drawn_as_if_it_had_one(out: type[StringIO]) -> None:
    progress = Progress(total=3, out=out())
    for score, state in ((-4.4, ItemState.READ), (None, ItemState.UNREAD), (None, ItemState.FAULT)):
        progress.note(outcome(score, state))
    progress.end(None, None, over=True)
    last = drawn(progress)[-1]
    assert "3/3" in last
    assert "no score  read 33 %" in last
    assert "score -" not in last
    assert progress.out.getvalue().endswith("\n")  # type: ignore[attr-defined]


def test_the_last_line_of_a_finished_run_has_the_score_of_the_run() -> None:
    progress = Progress(total=2, out=StringIO())
    progress.note(outcome(5.0))
    progress.note(outcome(7.0))
    progress.end(58.25, 3.0, over=True)
    assert "2/2" in drawn(progress)[-1]
    assert "score 58.25 ±5.9" in drawn(progress)[-1]
    assert sum("2/2" in line for line in drawn(progress)) == 1, "not once more with the mean of the items"


def test_the_rate_is_that_of_this_start_alone() -> None:
    progress = Progress(total=1_000_000, out=StringIO())
    progress.begin_from([(ItemState.READ, 5.0)] * 1_000)
    assert progress._rate() == "0.0/s"
    assert progress.done == 1_000


@pytest.mark.parametrize(
    ("stored", "says"),
    [([], "no score yet"), ([(ItemState.UNREAD, None)], "no score yet"), ([("read", 4.0)], "40.00 ")],
)
def test_few_results_are_told_without_an_interval(stored: list[tuple[str, float | None]], says: str) -> None:
    progress = Progress(total=9, out=StringIO())
    progress.begin_from(stored)
    progress.end(None, None, over=False)
    assert says in drawn(progress)[-1]
    assert "±" not in drawn(progress)[-1]
