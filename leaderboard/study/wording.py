"""What a study's page says in sentences, from its figures. Pure."""

from collections.abc import Sequence

from evaluation.statistics.responders import Line, Pair
from leaderboard.rounding import MISSING, number
from leaderboard.study.published import Responder

WHERE = {"all": "", "positive": " to positive messages", "negative": " to negative messages"}


def p_words(p: float | None) -> str:
    """Three decimals without the zero: 0.0088 -> ".009", 0.0004 -> "< .001", 1 -> "1.000", None -> an en dash."""
    if p is None:
        return MISSING
    if p < 0.001:
        return "< .001"
    return f"{p:.3f}".removeprefix("0")


def headline(scope: str, best: Line, pair: Pair, people: Line, label: str) -> str:
    """The finding about the model with the highest share, `pair` being that model less people."""
    shares = f"{100 * best.share:.0f} against {100 * people.share:.0f} %"
    if pair.differs and pair.points > 0:
        return f"{label}’s replies{WHERE[scope]} are called Good more often than people’s: {shares}"
    if pair.differs:
        return f"No model’s replies{WHERE[scope]} are called Good as often as people’s: {label} has {shares}"
    return f"No model’s replies{WHERE[scope]} are clearly called Good more often than people’s: {label} has {shares}"


def standing(against_people: Sequence[Pair], labels: dict[str, str]) -> str:
    """How many models are ahead of people, and which are tied with them or behind."""
    ahead = [pair for pair in against_people if pair.differs and pair.points > 0]
    tied = [labels[pair.first] for pair in against_people if not pair.differs]
    behind = [labels[pair.first] for pair in against_people if pair.differs and pair.points < 0]
    if len(ahead) == len(against_people):
        return "Every model is ahead of Human"
    parts = [f"{len(ahead)} of {len(against_people)} models are ahead of Human"]
    parts += [f"{_listed(tied)} tied with it"] if tied else []
    parts += [f"{_listed(behind)} behind it"] if behind else []
    return "; ".join(parts)


def _listed(names: Sequence[str]) -> str:
    verb = "is" if len(names) == 1 else "are"
    return f"{' and '.join(filter(None, [', '.join(names[:-1]), names[-1]]))} {verb}"


def bar_words(line: Line, responder: Responder) -> str:
    """What a bar shows, for those who do not see it."""
    good = f"{responder.label}: Good {_of_all(line, line.good)}"
    if line.okay is None or line.bad is None:
        return f"{good}, Okay or Bad {_of_all(line, line.n - line.good)}, split not known"
    return f"{good}, Okay {_of_all(line, line.okay)}, Bad {_of_all(line, line.bad)}"


def _of_all(line: Line, ratings: int) -> str:
    return f"{number(100 * ratings / line.n, 2)} %"
