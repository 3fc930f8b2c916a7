"""What a study's page says in sentences, from its figures. Pure."""

from collections.abc import Mapping, Sequence

from evaluation.statistics.study_figures import Line, Pair, Scope
from leaderboard.rounding import MISSING, count, counted, number

WHERE = {"all": "", "positive": " to positive messages", "negative": " to negative messages"}
SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def p_words(p: float | None) -> str:
    """Three decimals without the zero: 0.0088 -> ".009", 0.0004 -> "< .001", 1 -> "1.000", None -> an en dash."""
    if p is None:
        return MISSING
    if p < 0.001:
        return "< .001"
    return f"{p:.3f}".removeprefix("0")


def number_word(n: int) -> str:
    """A small number as a word: 3 -> "three", 11 -> "11"."""
    return SMALL[n] if 0 <= n < len(SMALL) else count(n)


def finding(scope: Scope, labels: Mapping[str, str], preliminary: frozenset[str]) -> str:
    """The page's headline, over the models that are rated enough: the one with the highest share of those that are
    ahead of people, else the one with the highest share."""
    people, *models = scope.lines
    if not models:
        return f"So far only {labels[people.responder]} was rated: {100 * people.share:.0f} % of the replies are Good"
    enough = [line for line in models if line.responder not in preliminary and not line.has_too_little]
    if not enough or people.has_too_little or people.responder in preliminary:
        return f"Too few people have rated replies{WHERE[scope.name]} to say who is ahead"
    pairs = {pair.first: pair for pair in scope.pairs if pair.second == people.responder}
    ahead = [line for line in enough if pairs[line.responder].differs and pairs[line.responder].points > 0]
    best = (ahead or enough)[0]
    are_all_behind = not ahead and all(pairs[line.responder].differs for line in enough)
    label, where = labels[best.responder], WHERE[scope.name]
    shares = f"{100 * best.share:.0f} against {100 * people.share:.0f} %"
    if ahead:
        return f"{label}’s replies{where} are rated “Good” more often than people’s: {shares}"
    which = f"No model’s replies{where}"
    if len(enough) < len(models):
        which = f"Of models that enough people have rated, no replies{where}"
    if are_all_behind:
        return f"{which} are called Good as often as people’s: {label} has {shares}"
    return f"{which} are clearly called Good more often than people’s: {label} has {shares}"


def standing(against_people: Sequence[Pair], labels: Mapping[str, str], reference: str = "Human") -> str:
    """How many models are ahead of people, and which are tied with them, behind, or not tested in the ranking."""
    tested = [pair for pair in against_people if pair.p_adjusted is not None and pair.family == "ranking"]
    if not tested:
        return f"No model has a test against {reference} in the ranking yet"
    ahead = [pair for pair in tested if pair.differs and pair.points > 0]
    tied = [labels[pair.first] for pair in tested if not pair.differs]
    behind = [labels[pair.first] for pair in tested if pair.differs and pair.points < 0]
    untested = [labels[pair.first] for pair in against_people if pair not in tested]
    if len(ahead) == len(against_people):
        return f"Every model is ahead of {reference}" if len(ahead) > 1 else f"The model is ahead of {reference}"
    if len(against_people) == 1:
        return f"The model is {'tied with' if tied else 'behind'} {reference}"
    parts = [f"{len(ahead)} of {len(against_people)} models are ahead of {reference}"]
    parts += [f"{_listed(tied)} tied with it"] if tied else []
    parts += [f"{_listed(behind)} behind it"] if behind else []
    parts += (
        [f"{joined(untested)} {'has' if len(untested) == 1 else 'have'} no test in the ranking yet"] if untested else []
    )
    return "; ".join(parts)


def _listed(names: Sequence[str]) -> str:
    return f"{joined(names)} {'is' if len(names) == 1 else 'are'}"


def joined(names: Sequence[str]) -> str:
    """a; a and b; a, b and c."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def bar_words(line: Line, label: str) -> str:
    """What a bar shows, for those who do not see it."""
    good = f"{label}: Good {_of_all(line, line.good)}"
    if line.okay is None or line.bad is None:
        return f"{good}, Okay or Bad {_of_all(line, line.n - line.good)}, split not known"
    return f"{good}, Okay {_of_all(line, line.okay)}, Bad {_of_all(line, line.bad)}"


def _of_all(line: Line, ratings: int) -> str:
    return f"{number(100 * ratings / line.n, 2)} %"


def numbers_of_ratings(lines: Sequence[Line]) -> str:
    """ "2,000 ratings each", or "408 to 1,600 ratings each" where responders have different numbers."""
    low, high = min(line.n for line in lines), max(line.n for line in lines)
    return f"{count(low)} ratings each" if low == high else f"{count(low)} to {count(high)} ratings each"


def by_rater_note(*, has_intervals: bool, has_tests: bool) -> str:
    """What intervals come from, and the p by rater or why there is none."""
    intervals = (
        "†: it is known who gave which rating, so the interval comes from resampling raters. Other intervals are "
        "Wilson’s."
        if has_intervals
        else "Intervals are Wilson’s."
    )
    tests = (
        "The p by rater is from Welch’s test on the raters’ shares of Good."
        if has_tests
        else "There is no p by rater: it takes 30 ratings on both sides, from raters who are known and not all alike."
    )
    return f"{intervals} {tests}"


def split_note(lines: Sequence[Line]) -> str:
    """That nothing is invented where only the number of Good is known; "" where all is known."""
    n = sum(line.bad is None for line in lines)
    if not n:
        return ""
    of = "one responder" if n == 1 else f"{number_word(n)} responders"
    return f"For {of} only the number of Good is known; their numbers of Okay and Bad stay blank."


def lede(n_raters: int | None, n_ratings: int) -> str:
    """`n_raters` is None where a group's number of raters is not known."""
    who = f"{counted(n_raters, 'person', 'people')} gave" if n_raters else "People gave"
    return (
        f"{who} {counted(n_ratings, 'rating')} to short replies. Each reply answers somebody who shares good or "
        f"bad news. "
        "Each rater saw one source only and did not know which."
    )
