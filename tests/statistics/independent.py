"""The figures of the 60 official run files once more, by other code: plain Python, loops, no arrays.

Run `python -m tests.statistics.independent ../shared/data` to print them. Nothing of the product and nothing of
`official` is imported; numpy gives only the draws that the published figures name by generator and seed. Missing is
None. What the product computes by matrix products is computed here pair by pair.
"""

import json
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

Row = list[float | None]
Statistic = Callable[[Sequence[float], Sequence[float]], float]
Z = 1.959964


def loss(distance: float) -> float:
    if distance >= 5:
        return distance
    return 6.5 / (1 + math.exp(-1.2 * (distance - 4))) if distance > 0 else 0.0


def item_score(given: dict[str, str], reference: dict[str, float]) -> float | None:
    if set(given) != set(reference):
        return None
    return 10 - 0.7477 * sum(loss(abs(float(given[word]) - reference[word])) for word in reference)


def read_run(path: Path, references: list[dict[str, float]]) -> Row:
    """Item scores in points of the pass that counts."""
    answers = json.loads(path.read_text())["raw_results"]["1"]["respondent_answers"]
    first, revised = ([_score(answers, i, ref, part) for i, ref in enumerate(references, 1)] for part in PASSES)
    n_first, n_revised = len(present(first)), len(present(revised))
    if n_revised and n_revised >= 0.95 * n_first and mean(present(revised)) >= mean(present(first)):
        return revised
    return first


PASSES = ("first_pass", "revised")


def _score(
    answers: dict[str, dict[str, dict[str, str]]], number: int, ref: dict[str, float], part: str
) -> float | None:
    score = item_score(answers.get(str(number), {}).get(part) or {}, ref)
    return None if score is None else 10 * score


def read_runs(folder: Path) -> dict[str, Row]:
    stored = json.loads((folder / "eqbench/eq_bench_v2_questions_171.json").read_text())
    references = []
    for number in range(1, 172):
        full = stored[str(number)]["reference_answer_fullscale"]
        references.append({full[f"emotion{i}"]: float(full[f"emotion{i}_score"]) for i in range(1, 5)})
    paths = sorted((folder / "eqbench/official_runs").glob("*.json"))
    return {path.name: read_run(path, references) for path in paths}


def present(row: Iterable[float | None]) -> list[float]:
    return [value for value in row if value is not None]


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def variance(values: Sequence[float]) -> float:
    centre = mean(values)
    return math.fsum((value - centre) ** 2 for value in values) / (len(values) - 1)


def standard_error(row: Row) -> float:
    values = present(row)
    return math.sqrt(variance(values) / len(values))


def paired_t(a: Row, b: Row) -> float:
    differences = [x - y for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    return mean(differences) / math.sqrt(variance(differences) / len(differences))


def rank_range(rows: list[Row], index: int) -> tuple[int, int]:
    """The ranks that no paired test excludes for one run."""
    tests = [paired_t(rows[index], row) for other, row in enumerate(rows) if other != index]
    return 1 + sum(t <= -Z for t in tests), len(rows) - sum(t >= Z for t in tests)


def least_significant(a: Row, b: Row) -> float:
    differences = [x - y for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    return Z * math.sqrt(variance(differences) / len(differences))


def unpaired_tied(a: Row, b: Row) -> bool:
    gap = abs(mean(present(a)) - mean(present(b)))
    return gap < Z * math.sqrt(standard_error(a) ** 2 + standard_error(b) ** 2)


def pearson(x: Sequence[float], y: Sequence[float]) -> float:
    mx, my = mean(x), mean(y)
    top = math.fsum((a - mx) * (b - my) for a, b in zip(x, y, strict=True))
    return top / math.sqrt(math.fsum((a - mx) ** 2 for a in x) * math.fsum((b - my) ** 2 for b in y))


def ranks(values: Sequence[float]) -> list[float]:
    return [sum(v < value for v in values) + (sum(v == value for v in values) + 1) / 2 for value in values]


def spearman(x: Sequence[float], y: Sequence[float]) -> float:
    return pearson(ranks(x), ranks(y))


def kendall_tau_b(x: Sequence[float], y: Sequence[float]) -> float:
    concordant = discordant = only_x = only_y = 0
    for i in range(len(x)):
        for j in range(i):
            dx, dy = x[i] - x[j], y[i] - y[j]
            concordant += dx * dy > 0
            discordant += dx * dy < 0
            only_x += dx == 0 and dy != 0
            only_y += dy == 0 and dx != 0
    untied = concordant + discordant
    return (concordant - discordant) / math.sqrt((untied + only_x) * (untied + only_y))


def percentile(values: Sequence[float], share: float) -> float:
    """Linear interpolation between order statistics."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def bootstrap(statistic: Statistic, x: Sequence[float], y: Sequence[float], draws: int, of: int) -> tuple[float, float]:
    """Percentile bounds from the first `draws` of `of` resamples."""
    indices = np.random.default_rng(20231211).integers(0, len(x), (of, len(x)))[:draws].tolist()
    values = [statistic([x[i] for i in drawn], [y[i] for i in drawn]) for drawn in indices]
    return percentile(values, 0.025), percentile(values, 0.975)


def resampled_range(rows: list[Row], index: int, draws: int, seed: int) -> tuple[int, int]:
    """The ranks that are left open for one run: those above it, and below it, in all resamples but one of 40."""
    k = len(rows[0])
    items = [mean(present([row[i] for row in rows])) for i in range(k)]
    above, below = [0] * len(rows), [0] * len(rows)
    for drawn in np.random.default_rng(seed).integers(0, k, (draws, k)).tolist():
        means = [mean([row[i] - items[i] for i in drawn if row[i] is not None]) for row in rows]
        for other, value in enumerate(means):
            above[other] += value > means[index] + 1e-9
            below[other] += value < means[index] - 1e-9
    enough = draws - draws // 40
    return 1 + sum(n >= enough for n in above), len(rows) - sum(n >= enough for n in below)


def cronbach_alpha(rows: list[list[float]]) -> float:
    k = len(rows[0])
    items = math.fsum(variance([row[i] for row in rows]) for i in range(k))
    return k / (k - 1) * (1 - items / variance([math.fsum(row) for row in rows]))


def item_total(rows: list[list[float]], item: int) -> float:
    return pearson([row[item] for row in rows], [math.fsum(row[:item] + row[item + 1 :]) for row in rows])


def odd_even(rows: list[list[float]]) -> float:
    return pearson([math.fsum(row[0::2]) for row in rows], [math.fsum(row[1::2]) for row in rows])


def halves_mean_r(rows: list[list[float]], splits: int) -> float:
    generator = np.random.default_rng(171)
    found = []
    for _ in range(splits):
        order = generator.permutation(171).tolist()
        first = [math.fsum(row[i] for i in order[:85]) for row in rows]
        second = [math.fsum(row[i] for i in order[85:170]) for row in rows]
        found.append(pearson(first, second))
    return mean(found)


def anova(rows: list[list[float]]) -> tuple[float, float, float]:
    """Mean squares of rows, columns and the rest, by sums of squares about totals."""
    n, k = len(rows), len(rows[0])
    grand = math.fsum(map(math.fsum, rows)) ** 2 / (n * k)
    total = math.fsum(value**2 for row in rows for value in row) - grand
    between_rows = math.fsum(math.fsum(row) ** 2 for row in rows) / k - grand
    between_columns = math.fsum(math.fsum(column) ** 2 for column in zip(*rows, strict=True)) / n - grand
    rest = (total - between_rows - between_columns) / ((n - 1) * (k - 1))
    return between_rows / (n - 1), between_columns / (k - 1), rest


def dependability(rows: list[list[float]]) -> float:
    n, k = len(rows), len(rows[0])
    by_run, by_item, rest = anova(rows)
    run, item = (by_run - rest) / k, (by_item - rest) / n
    return run / (run + (item + rest) / k)


def icc_single(rows: list[list[float]]) -> float:
    """ICC(2,1) of items x runs as a ratio of variance components."""
    n, k = len(rows), len(rows[0])
    by_item, by_run, rest = anova(rows)
    item, run = (by_item - rest) / k, (by_run - rest) / n
    return item / (item + run + rest)


def figures(folder: Path) -> dict[str, float]:
    rows = list(read_runs(folder).values())
    rows.sort(key=lambda row: -mean(present(row)))
    complete = [present(row) for row in rows if None not in row]
    errors = [standard_error(row) for row in rows]
    pairs = [(i, j) for i in range(len(rows)) for j in range(i)]
    totals = [item_total(complete, item) for item in range(171)]
    return {
        "runs": len(rows),
        "complete runs": len(complete),
        "standard error, mean": mean(errors),
        "standard error, median": percentile(errors, 0.5),
        "neighbours tied, paired": sum(abs(paired_t(a, b)) < Z for a, b in pairwise(rows)),
        "pairs tied, paired": sum(abs(paired_t(rows[i], rows[j])) < Z for i, j in pairs),
        "pairs tied, unpaired": sum(unpaired_tied(rows[i], rows[j]) for i, j in pairs),
        "least significant difference, median": percentile(
            [least_significant(rows[i], rows[j]) for i, j in pairs], 0.5
        ),
        "alpha": cronbach_alpha(complete),
        "odd-even": odd_even(complete),
        "item-total, mean": mean(totals),
        "items with negative item-total": sum(r < 0 for r in totals),
        "dependability": dependability(complete),
    }


if __name__ == "__main__":
    for name, value in figures(Path(sys.argv[1])).items():
        sys.stdout.write(f"{name}: {value:.4f}\n")
