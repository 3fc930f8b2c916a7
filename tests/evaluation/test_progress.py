"""The line that `evaluate` draws: what earlier starts stored counts in it, and a run without a score shows none."""

import math
import random
from io import StringIO
from statistics import fmean, stdev

import pytest

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import ItemScore
from evaluation.runs.parts import ResultFields
from evaluation.runs.progress import Progress
from evaluation.runs.recording import Outcome
from evaluation.states import ItemState
from tests.evaluation.benchmarks.by_item import summed
from tests.kinds.toy import TOY_MINUTES

V2 = BENCHMARKS["eq-bench-v2"]


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def outcome(score: float | None, state: ItemState = ItemState.READ, *, item: int = 1, repeat: int = 1) -> Outcome:
    fields: ResultFields = {
        "state": state, "reading": "official", "answer": None, "reason": "", "flags": "", "score": score,
        "part": None, "values": None, "other_parts": None,
    }  # fmt: skip
    return Outcome(item_pk=item, repeat=repeat, fields=fields, attempts=1)


def drawn(progress: Progress) -> list[str]:
    assert isinstance(progress.out, StringIO)
    return [line for line in progress.out.getvalue().replace("\r\x1b[K", "\n").split("\n") if line]


STORED = [1.0, 2.0, 1.5]
NEW = [9.0, 8.0]


@pytest.mark.parametrize("out", [StringIO, Terminal])
def test_after_going_on_the_score_covers_all_results_of_the_run(out: type[StringIO]) -> None:
    progress = Progress(total=6, out=out(), benchmark=V2)
    progress.begin_from((item, ItemState.READ, score) for item, score in enumerate(STORED, 1))
    progress.begin_from([(4, ItemState.UNREAD, None)])
    for item, score in enumerate(NEW, 5):
        progress.note(outcome(score, item=item))
    progress.end(None, None, 0, over=False)
    scores = [*STORED, *NEW]
    half = 2.776445 * stdev(scores) / math.sqrt(len(scores))  # Student's t with 4 degrees of freedom
    assert "6/6  " in drawn(progress)[-1]
    assert f"item score {fmean(scores):.2f} ±{half:.2f}  read 83 %  done" in drawn(progress)[-1]


@pytest.mark.parametrize("out", [StringIO, Terminal])
def test_a_run_that_ends_without_a_score_is_not_drawn_as_if_it_had_one(out: type[StringIO]) -> None:
    progress = Progress(total=3, out=out(), benchmark=V2)
    for score, state in ((-4.4, ItemState.READ), (None, ItemState.UNREAD), (None, ItemState.FAULT)):
        progress.note(outcome(score, state))
    progress.end(None, None, 0, over=True)
    last = drawn(progress)[-1]
    assert "3/3" in last
    assert "no score  read 33 %" in last
    assert "score -" not in last
    assert progress.out.getvalue().endswith("\n")  # type: ignore[attr-defined]


def test_the_last_line_of_a_finished_run_has_the_score_of_the_run() -> None:
    progress = Progress(total=2, out=StringIO(), benchmark=V2)
    progress.note(outcome(5.0, item=1))
    progress.note(outcome(7.0, item=2))
    progress.end(58.25, 3.0, 60, over=True)
    assert "2/2" in drawn(progress)[-1]
    assert "score 58.25 ±6.00" in drawn(progress)[-1]
    assert sum("2/2" in line for line in drawn(progress)) == 1, "not once more with the mean of the items"


def test_the_rate_is_that_of_this_start_alone() -> None:
    progress = Progress(total=1_000_000, out=StringIO(), benchmark=V2)
    progress.begin_from([(1, ItemState.READ, 5.0)] * 1_000)
    assert progress._rate() == "0.0/s"
    assert progress.done == 1_000


@pytest.mark.parametrize(
    ("stored", "says"),
    [
        ([], "no item score yet"),
        ([(1, ItemState.UNREAD, None)], "no item score yet"),
        ([(1, "read", 4.0)], "item score 4.00 "),
    ],
)
def test_few_results_are_told_without_an_interval(stored: list[tuple[int, str, float | None]], says: str) -> None:
    progress = Progress(total=9, out=StringIO(), benchmark=V2)
    progress.begin_from(stored)
    progress.end(None, None, 0, over=False)
    assert says in drawn(progress)[-1]
    assert "±" not in drawn(progress)[-1]


@pytest.mark.parametrize("n_items", [12, 60])
def test_repeats_of_an_item_are_one_observation(n_items: int) -> None:
    """Five passes that say the same know no more than one; the last line drawn is that of the run's own summary."""
    chance, repeats = random.Random(6), 5
    means = [chance.uniform(0, 10) for _ in range(n_items)]
    progress = Progress(total=n_items * repeats, out=StringIO(), benchmark=V2)
    scores = []
    for repeat in range(1, repeats + 1):
        for item, mean in enumerate(means, 1):
            score = min(10.0, max(0.0, mean + chance.gauss(0, 0.3)))
            progress.note(outcome(score, item=item, repeat=repeat))
            scores.append(ItemScore(str(item), repeat, "first_pass", "official", (score,)))
    found = summed(V2, scores, n_items=n_items, repeats=repeats)
    progress.end(None, None, 0, over=False)
    progress.end(found.score, found.standard_error, found.n_scored, over=True)
    half = (2.200985 if n_items == 12 else 2.000995) * (found.standard_error or 0)
    by_item, of_run = drawn(progress)[-2:]
    assert found.score is not None
    assert f"item score {found.score / 10:.2f} ±{half / 10:.2f}  read 100 %" in by_item
    assert f"score {found.score:.2f} ±{half:.2f}  read 100 %" in of_run


def test_a_second_pass_that_has_just_begun_does_not_outweigh_the_first() -> None:
    progress = Progress(total=8, out=StringIO(), benchmark=V2)
    progress.begin_from((item, "read", 5.0) for item in range(1, 5))
    progress.note(outcome(9.0, item=1, repeat=2))
    progress.end(None, None, 0, over=False)
    assert "item score 5.50 ±" in drawn(progress)[-1]  # (7 + 5 + 5 + 5) / 4 items


def test_a_perfect_run_is_drawn_without_an_interval() -> None:
    progress = Progress(total=3, out=StringIO(), benchmark=V2)
    for item in range(1, 4):
        progress.note(outcome(10.0, item=item))
    progress.end(100.0, 0.0, 3, over=True)
    assert "score 100.00  read" in drawn(progress)[-1]


def test_another_benchmark_is_drawn_by_its_own_measures() -> None:
    progress = Progress(total=2, out=StringIO(), benchmark=TOY_MINUTES)
    progress.note(outcome(12.0, item=1))
    progress.note(outcome(9.0, item=2))
    progress.end(None, None, 0, over=False)
    progress.end(10.5, None, 2, over=True)
    assert "miss 10.5 ±" in drawn(progress)[-2]
    assert "mean miss 10.5  read 100 %" in drawn(progress)[-1]
