"""The published scores and reference benchmarks as the specification pairs them, read with csv and json alone."""

import csv
import json
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

Values = dict[str, float]
Row = dict[str, str]

ROWS: dict[str, tuple[str, str]] = {
    "v2 vs MMLU preferred": ("v2", "mmlu"),
    "v2 vs MMLU preferred, no CoT, no approx": ("v2", "mmlu"),
    "v2 vs MMLU preferred, without koala-7B": ("v2", "mmlu"),
    "v2 vs MMLU OLL-v1 only": ("v2", "mmlu from Open LLM Leaderboard v1"),
    "v2 vs MMLU HELM only": ("v2", "mmlu from HELM MMLU"),
    "v2 vs MMLU LMSYS list only": ("v2", "mmlu from LMSYS"),
    "v2 vs MMLU preferred, open weights": ("v2", "mmlu"),
    "v2 vs MMLU preferred, API only": ("v2", "mmlu"),
    "v2 vs MMLU preferred, models of the official run files": ("v2", "mmlu"),
    "v2 vs MMLU preferred, EQ>=60": ("v2", "mmlu"),
    "v2 vs Arena Elo 2024-10-16": ("v2", "arena_elo 2024-10-16"),
    "v2 vs Arena Elo 2024-06-19": ("v2", "arena_elo 2024-06-19"),
    "v2 vs Arena Elo 2024-02-07": ("v2", "arena_elo 2024-02-07"),
    "v2 vs MAGI-Hard": ("v2", "magi"),
    "v2 vs MMLU-Pro OLL-v2": ("v2", "mmlu_pro"),
    "v2 vs MT-bench": ("v2", "mt_bench"),
    "v2 vs arc OLL-v1": ("v2", "arc"),
    "v2 vs hellaswag OLL-v1": ("v2", "hellaswag"),
    "v2 vs truthfulqa OLL-v1": ("v2", "truthfulqa"),
    "v2 vs winogrande OLL-v1": ("v2", "winogrande"),
    "v2 vs gsm8k OLL-v1": ("v2", "gsm8k"),
    "MAGI-Hard vs MMLU preferred": ("magi", "mmlu"),
    "MMLU preferred vs Arena Elo 2024-10-16": ("mmlu", "arena_elo 2024-10-16"),
    "v2 vs log10 params_billion": ("v2", "log10 params"),
    "v1 vs MMLU, all preferred": ("eqbench_v1", "mmlu"),
    "v1 vs MMLU as listed by LMSYS": ("eqbench_v1", "mmlu from LMSYS"),
    "v1 vs MMLU OLL-v1 only": ("eqbench_v1", "mmlu from Open LLM Leaderboard v1"),
    "v1 vs Arena Elo 2024-02-07": ("eqbench_v1", "arena_elo 2024-02-07"),
    "v1 vs MT-bench": ("eqbench_v1", "mt_bench"),
    "v1 vs hellaswag OLL-v1": ("eqbench_v1", "hellaswag"),
    "v1 vs arc OLL-v1": ("eqbench_v1", "arc"),
    "v1 vs truthfulqa OLL-v1": ("eqbench_v1", "truthfulqa"),
    "v1 vs winogrande OLL-v1": ("eqbench_v1", "winogrande"),
    "v1 vs gsm8k OLL-v1": ("eqbench_v1", "gsm8k"),
    "v1 vs v2": ("eqbench_v1", "v2"),
    "v1 vs MMLU preferred without una-xaberius": ("eqbench_v1", "mmlu"),
    "v1 vs LMSYS MMLU without oasst-pythia": ("eqbench_v1", "mmlu from LMSYS"),
}
"""The two measures of every correlation in `paper_tables.json`, by its label there."""


@dataclass(frozen=True)
class Published:
    page: tuple[Row, ...]
    references: tuple[Row, ...]
    tables: dict[str, Any]

    def measure(self, name: str) -> Values:
        """Values by model. "X from SOURCE" takes the rows whose setting names it, "arena_elo DATE" those of a day."""
        columns = {"v2": "eqbench_v2", "magi": "magi_hard"}
        if name in columns:
            return {row["model"]: float(row[columns[name]]) for row in self.page if row[columns[name]]}
        if name == "log10 params":
            return {
                row["model"]: math.log10(float(row["params_billion"])) for row in self.page if row["params_billion"]
            }
        if " from " in name:
            benchmark, source = name.split(" from ")
            return self._references(benchmark, lambda row: source in row["setting"])
        if name.startswith("arena_elo "):
            return self._references("arena_elo", lambda row: row["as_of"] == name.split()[1])
        return self._references(name, lambda row: row["preferred"] == "true")

    def _references(self, benchmark: str, wanted: Any) -> Values:
        rows = [row for row in self.references if row["benchmark"] == benchmark and wanted(row)]
        return {row["model"]: float(row["value"]) for row in rows}

    def models(self, label: str) -> list[str]:
        models: list[str] = self.tables["recomputed_models"][label]
        return models

    def pair(self, label: str) -> tuple[list[float], list[float]]:
        """The two measures of a correlation over its models, in the order that the bootstrap draws from."""
        first, second = (self.measure(name) for name in ROWS[label])
        return [first[model] for model in self.models(label)], [second[model] for model in self.models(label)]


@cache
def published(folder: Path) -> Published:
    return Published(
        page=_rows(folder / "published/eqbench_v2.csv"),
        references=_rows(folder / "published/reference_benchmarks.csv"),
        tables=json.loads((folder / "published/paper_tables.json").read_text()),
    )


def _rows(path: Path) -> tuple[Row, ...]:
    with path.open(newline="") as lines:
        return tuple(csv.DictReader(lines))
