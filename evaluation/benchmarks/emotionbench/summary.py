"""An EmotionBench run in numbers, from the two sums of each answered questionnaire. Pure; no numpy."""

from collections.abc import Mapping, Sequence
from math import fsum, sqrt

from evaluation.benchmarks.base import FIRST_PART, Bank, Figure, ItemScore, JsonValue, Measure, Summary
from evaluation.benchmarks.emotionbench.bank import DEFAULT, emotion_of, factor_of, people_of
from evaluation.benchmarks.emotionbench.scoring import HIGHEST, LOWEST, Alignment, Factor, Pair, alignment, sample

LEAST_EVOKED, LEAST_DEFAULT = 0.9, 0.8
"""Shares of answered questionnaires without which there is no score."""

OVERALL = "Overall:avg"
ALIGNMENT = "alignment"
_POINTS, _PER_CENT = "points", "%"

ITEM_MEASURES = (
    Measure(
        "positive", "Positive affect", _POINTS, 1, "neither", LOWEST, HIGHEST,
        "Sum of the ten positive words of the questionnaire, each from 1 to 5.",
    ),
    Measure(
        "negative", "Negative affect", _POINTS, 1, "neither", LOWEST, HIGHEST,
        "Sum of the ten negative words of the questionnaire, each from 1 to 5.",
    ),
)  # fmt: skip
MEASURES = (
    Measure(
        ALIGNMENT, "Alignment", "", 1, "higher", 0, 100,
        "Mean of level, change and pattern: how near the moods are to those of 1,266 people. Half of the people, "
        "compared with the other half, reach 80. Answering every situation with people’s average mood reaches 59.",
    ),
    Measure(
        "level", "Level", "", 1, "higher", 0, 100,
        "How close the mood after a situation is to people’s, from 0 to 100: the mean over 36 kinds of situation, of "
        "positive and negative mood.",
    ),
    Measure(
        "change", "Change", "", 1, "higher", 0, 100,
        "How close the change of mood is to people’s, from 0 to 100: the mean over 36 kinds of situation, of positive "
        "and negative mood.",
    ),
    Measure(
        "pattern", "Pattern", "", 1, "higher", 0, 100,
        "Whether the situations that move people’s mood most also move the model’s most: correlation with people’s "
        "changes over 36 kinds of situation; "
        "below zero counts as zero.",
    ),
    Measure(
        "gap", "Mean gap", _POINTS, 1, "lower", 0, 40,
        "Mean distance of the mood after a situation from people’s, over 36 kinds of situation.",
    ),
    Measure(
        "gap_change", "Mean gap of change", _POINTS, 1, "lower", 0, 80,
        "Mean distance of the change of mood from people’s, over 36 kinds of situation.", shown=False,
    ),
    Measure("default_p", "Default, positive", _POINTS, 1, "neither", LOWEST, HIGHEST,
            "Mean positive affect without a situation; people have 28.0.", shown=False),
    Measure("default_n", "Default, negative", _POINTS, 1, "neither", LOWEST, HIGHEST,
            "Mean negative affect without a situation; people have 13.6.", shown=False),
    Measure("evoked_p", "Evoked, positive", _POINTS, 1, "neither", LOWEST, HIGHEST,
            "Mean positive affect after a situation; people have 22.9.", shown=False),
    Measure("evoked_n", "Evoked, negative", _POINTS, 1, "neither", LOWEST, HIGHEST,
            "Mean negative affect after a situation; people have 24.1.", shown=False),
    Measure("coverage_default", "Answered before", _PER_CENT, 0, "higher", 0, 100,
            "Share of the questionnaires without a situation that were answered in full.", shown=False),
    Measure("coverage_evoked", "Answered", _PER_CENT, 0, "higher", 0, 100,
            "Share of the questionnaires after a situation that were answered in full; refusals are not random."),
)  # fmt: skip

_Answered = Mapping[str, Sequence[Pair]]


def summarise(scores: Sequence[ItemScore], bank: Bank, asked: Mapping[str, int]) -> Summary:
    """The run's summary. Args: `asked` has, for each item, how often the run asks it.

    Means are over answered questionnaires; a factor pools those of its situations. The error of the alignment is a
    jackknife over the situations within factors. The alignment is None, and `reason` says why, where a factor has no
    answer, or fewer than 90 % of the evoked or 80 % of the default questionnaires were answered.
    """
    answered = _answered(scores)
    n_default, n_evoked = (
        len(answered.get(DEFAULT, ())),
        sum(len(answered[item]) for item in answered if item != DEFAULT),
    )
    asked_default = asked.get(DEFAULT, 0)
    asked_evoked = sum(asked.values()) - asked_default
    shares = _share(n_default, asked_default), _share(n_evoked, asked_evoked)
    people = people_of(bank)
    found = _alignment_of(people, answered)
    reason = _why_none(people, answered, shares)
    figures = {**_figures(found), **_moods(answered)}
    if found is not None and not reason:
        n = sum(item != DEFAULT for item in answered)
        figures[ALIGNMENT] = Figure(found.alignment, _error(people, answered), n)
    figures["coverage_default"], figures["coverage_evoked"] = (Figure(100 * share) for share in shares)
    repeats = max((score.repeat for score in scores), default=1)
    return Summary(
        figures={measure.key: figures.get(measure.key, Figure(None)) for measure in MEASURES},
        coverage=_share(n_default + n_evoked, asked_default + asked_evoked),
        n_scored=len(answered),
        repeat_scores=(None,) * repeats,
        counted_parts=(FIRST_PART,) * repeats,
        detail=detail_of(answered, asked) if answered.get(DEFAULT) else None,
        reason=reason,
    )


def _answered(scores: Sequence[ItemScore]) -> dict[str, list[Pair]]:
    """Item -> the sums of each answered questionnaire."""
    found: dict[str, list[Pair]] = {}
    for score in scores:
        positive, negative = score.values
        if positive is not None and negative is not None:
            found.setdefault(score.item_id, []).append((positive, negative))
    return found


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _pooled(pairs: Sequence[Pair]) -> Pair:
    return fsum(pair[0] for pair in pairs) / len(pairs), fsum(pair[1] for pair in pairs) / len(pairs)


def _by_factor(answered: _Answered) -> dict[str, dict[str, Sequence[Pair]]]:
    """Factor -> situation -> its answered questionnaires."""
    found: dict[str, dict[str, Sequence[Pair]]] = {}
    for item, pairs in answered.items():
        if item != DEFAULT:
            found.setdefault(factor_of(item), {})[item] = pairs
    return found


def _alignment_of(people: Mapping[str, Factor], answered: _Answered) -> Alignment | None:
    factors = _by_factor(answered)
    if not answered.get(DEFAULT) or set(people) - set(factors):
        return None
    evoked = {name: _pooled([pair for pairs in factors[name].values() for pair in pairs]) for name in people}
    return alignment(people, _pooled(answered[DEFAULT]), evoked)


def _why_none(people: Mapping[str, Factor], answered: _Answered, shares: tuple[float, float]) -> str:
    missing = sorted(set(people) - set(_by_factor(answered)))
    if missing:
        return f"no answered questionnaire in {len(missing)} of {len(people)} factors"
    for share, least, name in (
        (shares[1], LEAST_EVOKED, "after a situation"),
        (shares[0], LEAST_DEFAULT, "without one"),
    ):
        if share < least:
            return f"{100 * share:.1f} % of the questionnaires {name} answered, at least {100 * least:.0f} % are needed"
    return ""


def _figures(found: Alignment | None) -> dict[str, Figure]:
    if found is None:
        return {}
    return {
        "level": Figure(found.level),
        "change": Figure(found.change),
        "pattern": Figure(found.pattern),
        "gap": Figure(found.gap_level),
        "gap_change": Figure(found.gap_change),
    }


def _moods(answered: _Answered) -> dict[str, Figure]:
    evoked = [pair for item, pairs in answered.items() if item != DEFAULT for pair in pairs]
    found: dict[str, Figure] = {}
    for name, pairs in (("default", answered.get(DEFAULT, [])), ("evoked", evoked)):
        if pairs:
            mood = _pooled(pairs)
            found |= {f"{name}_p": Figure(mood[0], n=len(pairs)), f"{name}_n": Figure(mood[1], n=len(pairs))}
    return found


def _error(people: Mapping[str, Factor], answered: _Answered) -> float | None:
    """Jackknife over situations within factors, in points of the alignment. Factors with one situation add nothing."""
    factors = _by_factor(answered)
    default = _pooled(answered[DEFAULT])
    evoked = {name: _pooled([pair for pairs in factors[name].values() for pair in pairs]) for name in people}
    variance = 0.0
    for name in people:
        situations = list(factors[name].values())
        if len(situations) < 2:
            continue
        without = []
        for left_out in range(len(situations)):
            rest = [pair for at, pairs in enumerate(situations) if at != left_out for pair in pairs]
            without.append(alignment(people, default, {**evoked, name: _pooled(rest)}).alignment)
        centre = fsum(without) / len(without)
        variance += (len(without) - 1) / len(without) * fsum((each - centre) ** 2 for each in without)
    return sqrt(variance) if variance else None


def detail_of(answered: _Answered, asked: Mapping[str, int]) -> JsonValue:
    """Default and evoked samples for the table: factors, emotions and all, each pooled over its questionnaires."""
    groups: dict[str, list[Pair]] = {}
    wanted: dict[str, int] = {}
    for item, times in asked.items():
        if item != DEFAULT:
            factor = factor_of(item)
            for name in (factor, f"{emotion_of(factor)}:avg", OVERALL):
                wanted[name] = wanted.get(name, 0) + times
                groups.setdefault(name, []).extend(answered.get(item, ()))
    order = sorted(groups, key=lambda name: (name == OVERALL, ":" in name))  # stable: in the order of the bank
    return {
        "default": _stored(answered[DEFAULT]),
        "rows": [
            {"row": name, "evoked": _stored(groups[name]), "few": 2 * len(groups[name]) < wanted[name]}
            for name in order
            if groups[name]
        ],
    }


def _stored(pairs: Sequence[Pair]) -> list[JsonValue]:
    samples = (sample([pair[affect] for pair in pairs]) for affect in range(2))
    return [{"n": each.n, "mean": each.mean, "sd": each.sd} for each in samples]
