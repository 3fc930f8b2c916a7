"""The official question files and runs, where they are beside the checkout. None of their texts stands in here."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Answer, Benchmark, Item, ItemScore, Options, Reply, Summary

BANK_FILES = {
    "eq-bench-v2": "eq_bench_v2_questions_171.json",
    "eq-bench-v1": "eq_bench_v1_questions_60.json",
    "eq-bench-v2-de": "eq_bench_v2_questions_171_de.json",
}
Answers = Mapping[str, Mapping[str, Mapping[str, str]]]


@dataclass(frozen=True)
class OfficialRun:
    """One official run file: `replies` are raw texts, `answers` what the pipeline read of each item and pass."""

    name: str
    score: float
    replies: Mapping[str, str]
    answers: Answers

    @property
    def revision(self) -> bool:
        """Whether most of the replies hold revised scores."""
        return 2 * sum("Revised scores:" in reply for reply in self.replies.values()) > len(self.replies)


@cache
def bank(folder: Path, name: str) -> dict[str, Item]:
    content = (folder / "eqbench" / BANK_FILES[name]).read_bytes()
    return {item.id: item for item in BENCHMARKS[name].load(content)}


@cache
def official_runs(folder: Path) -> tuple[OfficialRun, ...]:
    return tuple(_run(path) for path in sorted((folder / "eqbench/official_runs").glob("*.json")))


def _run(path: Path) -> OfficialRun:
    content = json.loads(path.read_text(encoding="utf-8"))
    iteration = content["raw_results"]["1"]
    return OfficialRun(
        path.name, content["benchmark_score"], iteration["raw_inference"], iteration["respondent_answers"]
    )


def local_replies(folder: Path, name: str) -> dict[str, str]:
    replies: dict[str, str] = json.loads((folder / "local_llm" / name).read_text(encoding="utf-8"))["replies"]
    return replies


def read_scores(
    benchmark: Benchmark, items: Mapping[str, Item], replies: Mapping[str, str], *, revision: bool
) -> Iterator[ItemScore]:
    """The scores of replies that are read anew."""
    for item_id, text in replies.items():
        reading = benchmark.read(
            items[item_id], Reply(text), Options(switched=frozenset({"revision"} if revision else ()))
        )
        for answer in reading.answers:
            score = benchmark.score(items[item_id], answer)
            yield ItemScore(item_id, 1, answer.part, answer.reading, (score,))


def stored_scores(benchmark: Benchmark, items: Mapping[str, Item], run: OfficialRun) -> Iterator[ItemScore]:
    """The scores of the answers that a run file holds: each counts if its names are the item's four."""
    for item_id, passes in run.answers.items():
        labels = items[item_id].labels
        for part, ratings in passes.items():
            if set(ratings) == set(labels):
                answer = Answer(part, "official", tuple(float(ratings[label]) for label in labels))
                yield ItemScore(item_id, 1, part, "official", (benchmark.score(items[item_id], answer),))


def summary_of(scores: Iterator[ItemScore], benchmark: Benchmark, n_items: int = 171) -> Summary:
    return benchmark.summarise(list(scores), n_items=n_items, repeats=1)


def mean_points(items: Mapping[str, Item], points: Callable[[Item], float]) -> float:
    return 10 * sum(points(item) for item in items.values()) / len(items)
