"""Whether the measures of the board order models alike: every pair of them, over the models that both have.

Value: `measures` lists {key, title, n, lower}, the fullest first; `lower` where less is better. `pairs` has each pair
once, {first, second} by their places among the measures, with `n` shared models, `n_approx` of them joined by a name
without a snapshot, and from FEWEST shared models on `rho` (Spearman, positive where both order alike), `low` and `high`
(95 %), and `models` with the columns of MODEL_COLUMNS.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from evaluation.benchmarks import BENCHMARKS
from evaluation.models import ItemBank
from evaluation.published_tables import PUBLISHED, measures_of
from evaluation.statistics.correlation import bonett_wright_interval, spearman
from evaluation.statistics.ranks import ranks_of
from leaderboard.statistics.marks import Inputs, References
from leaderboard.statistics.measures import ELO, MAGI, MMLU
from leaderboard.statistics.outcomes import Outcome, ends, outcome

FEWEST = 8
"""Shared models from which on a pair is compared: with fewer the interval says nothing whatever the value."""
MODEL_COLUMNS = ("model", "slug", "first", "second", "first_rank", "second_rank")
OTHERS = (MMLU, ELO, MAGI)


@dataclass(frozen=True, slots=True)
class Scored:
    """A measure with its scores by model; `sign` is -1 where less is better. `approximate` are the models whose figure
    was published under a name that does not say the snapshot."""

    key: str
    title: str
    scores: Mapping[int, float]
    sign: int = 1
    approximate: frozenset[int] = frozenset()


def of_board(rankings: Mapping[str, Inputs], references: References) -> Outcome:
    """One query, for the titles of the banks. Private banks are not among the rankings."""
    titles = dict(ItemBank.objects.values_list("slug", "title"))
    measures = [of_ranking(each, titles, references) for each in rankings.values() if is_measure(each)]
    measures += [of_figures(each.name, each.benchmark, references) for each in OTHERS]
    measures = sorted((each for each in measures if each.scores), key=lambda each: (-len(each.scores), each.key))
    if len(measures) < 2:
        return Outcome(0, {})
    names = {model.pk: (model.name, model.slug) for model in references.models}
    names |= {each.model_id: (each.name, each.slug) for inputs in rankings.values() for each in inputs.members}
    pairs = [pair_of(measures, at, names) for at in combinations(range(len(measures)), 2)]
    n = len({model for measure in measures for model in measure.scores})
    listed = [
        {"key": each.key, "title": each.title, "n": len(each.scores), "lower": each.sign < 0} for each in measures
    ]
    return outcome(n, measures=listed, pairs=pairs)


def is_measure(inputs: Inputs) -> bool:
    """A bank counts once, by its own rule: another rule on the same answers is no other measure."""
    return inputs.bank is None or inputs.rule == inputs.bank.benchmark


def of_ranking(inputs: Inputs, titles: Mapping[str, str], references: References) -> Scored:
    ranks = (measures_of(inputs.rule) or BENCHMARKS["eq-bench-v2"].measures)[0]
    return Scored(
        key=inputs.ranking,
        title=title_of(inputs, titles),
        scores={member.model_id: member.score for member in inputs.members},
        sign=-1 if ranks.better == "lower" else 1,
        approximate=approximate(inputs.ranking, references),
    )


def title_of(inputs: Inputs, titles: Mapping[str, str]) -> str:
    """The bank's title, with the variant behind it; without a bank that of the published table."""
    if inputs.bank is None:
        known = PUBLISHED.get(inputs.ranking) or BENCHMARKS.get(inputs.ranking)
        return known.title if known else inputs.ranking
    variant = inputs.ranking.removeprefix(inputs.bank.slug).strip("-")
    return ", ".join(part for part in (titles.get(inputs.bank.slug, inputs.bank.slug), variant) if part)


def of_figures(title: str, benchmark: str, references: References) -> Scored:
    scores = {
        figure.model_id: figure.value
        for figure in references.figures
        if figure.benchmark == benchmark and figure.preferred
    }
    return Scored(benchmark, title, scores, approximate=approximate(benchmark, references))


def approximate(benchmark: str, references: References) -> frozenset[int]:
    return frozenset(
        figure.model_id
        for figure in references.figures
        if figure.benchmark == benchmark and figure.preferred and figure.match.startswith("approx")
    )


def pair_of(measures: Sequence[Scored], at: tuple[int, int], names: Mapping[int, tuple[str, str]]) -> dict[str, object]:
    first, second = (measures[place] for place in at)
    both = sorted(first.scores.keys() & second.scores.keys())
    x = [first.sign * first.scores[model] for model in both]
    y = [second.sign * second.scores[model] for model in both]
    rho = spearman(x, y) if len(both) >= FEWEST else None
    found: dict[str, object] = {
        "first": at[0],
        "second": at[1],
        "n": len(both),
        "n_approx": len((first.approximate | second.approximate) & {*both}),
    }
    if rho is None:
        return found
    low, high = ends(bonett_wright_interval(rho, len(both)))
    ranks = zip(ranks_of(x).tolist(), ranks_of(y).tolist(), strict=True)
    models = [
        [*names[model], first.scores[model], second.scores[model], *own] for model, own in zip(both, ranks, strict=True)
    ]
    return {**found, "rho": rho, "low": low, "high": high, "models": models}
