"""Sentences about judges, made of their figures."""

from collections.abc import Sequence

from evaluation.models import Judge, Status
from evaluation.statistics.judges import Lean
from leaderboard.rounding import MINUS, MISSING, count, counted, number
from leaderboard.study.judges.figures import Figures, share
from leaderboard.study.judges.reading import Judged

NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")


def points(value: float | None, digits: int = 1) -> str:
    """A difference of shares, in signed percentage points."""
    text = number(None if value is None else 100 * value, digits)
    return text if value is None or text.startswith(MINUS) or value == 0 else f"+{text}"


def list_headline(n: int) -> str:
    if not n:
        return "No judge is registered yet"
    words = NUMBERS[n] if n < len(NUMBERS) else count(n)
    return f"{words} {'judge' if n == 1 else 'judges'}, and no substitute for people"


def headline(judge: Judge, judged: Sequence[Judged], figures: Figures) -> str:
    """The finding: the lean where it is known and clear, else which replies it calls Good most often."""
    if figures.own is not None and _is_clear(figures.own) and not (figures.lean and _is_clear(figures.lean)):
        return f"{judge.name} prefers its own maker’s models {_more(figures.own)} than people do"
    if figures.lean is not None and figures.lean.interval is not None:
        return f"{judge.name} {lean_words(figures.lean)}"
    rated = [(share(each.ratings) or 0.0, each.label) for each in judged if each.counts]
    if not rated:
        return f"{judge.name} has rated no replies yet"
    best, name = max(rated)
    if len(rated) == 1:
        return f"{judge.name} calls {number(100 * best, 0)} % of {name}’s replies Good"
    least, last = min(rated)
    of_last = f"{number(100 * least, 0)} % of {last}’s"
    return f"{judge.name} calls {number(100 * best, 0)} % of {name}’s replies Good, and {of_last}"


def lean_words(lean: Lean) -> str:
    if not _is_clear(lean):
        return "prefers models no more than people do, as far as its ratings show"
    return f"prefers models {_more(lean)} than people do"


def _is_clear(lean: Lean) -> bool:
    return lean.interval is not None and not lean.interval.holds(0.0)


def _more(lean: Lean) -> str:
    return "more" if lean.lean > 0 else "less"


def agreement_words(figures: Figures) -> str:
    """What the 3 × 3 table shows, by its largest cell off the diagonal."""
    table, names = figures.agreement.table, ("Bad", "Okay", "Good")
    cells = [(table[row][column], row, column) for row in range(3) for column in range(3) if row != column]
    most, row, column = max(cells)
    if not most:
        return "It agrees with people on every reply"
    return f"Where people say {names[row]}, it says {names[column]} {counted(most, 'time')}"


def interval_words(lean: Lean | None) -> str:
    if lean is None:
        return ""
    if lean.interval is None:
        return f"{counted(lean.n, 'prompt')}: too few for an interval"
    return f"95 %: {points(lean.interval.low)} to {points(lean.interval.high)}"


def lean_sum(lean: Lean) -> str:
    """How the lean is made, in numbers."""
    return (
        f"Judge: models’ share of Good minus people’s, {points(lean.judge)} points. "
        f"People: {points(lean.people)} points. "
        f"The difference is {points(lean.lean)} points, over {counted(lean.n, 'prompt')}."
    )


def state_of(judged: Sequence[Judged]) -> tuple[str, str]:
    """The state's class and its words."""
    if not judged:
        return "open", "nothing to judge yet"
    waiting = [each for each in judged if each.run.status == Status.WAITING]
    if waiting:
        return "wait", "waits: its endpoint gives no answers"
    if any(not each.has_ended for each in judged):
        done, wanted = sum(each.done for each in judged), sum(each.wanted for each in judged)
        return "live", f"judging, {number(100 * done / wanted, 0) if wanted else MISSING} %"
    if any(each.cannot_be_read for each in judged):
        return "bad", "cannot be read"
    if any(not each.counts for each in judged):
        return "bad", "stopped by a fault"
    return "good", "done"


def read_share(figures: Figures) -> str:
    return f"{number(100 * figures.n_read / figures.n_asked, 1)} %" if figures.n_asked else MISSING
