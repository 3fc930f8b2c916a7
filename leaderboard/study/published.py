"""The published study, computed from the counts that we ship."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from evaluation.importers.published import SHIPPED_FOLDER
from evaluation.importers.study_files import read_study
from evaluation.importers.tables import read_table
from evaluation.statistics.raters import Raters, raters_of
from evaluation.statistics.responders import ALL, Study, study_statistics

COUNTS = SHIPPED_FOLDER / "empathy_study.csv"
RATERS = SHIPPED_FOLDER / "empathy_raters.csv"
RATER_COLUMNS = ("responder", "n", "good", "raters")
REFERENCE = "human"
DRAWS = 10_000
SEED = 0


@dataclass(frozen=True, slots=True)
class Responder:
    """`tokens`: the mean length of a reply, as published."""

    label: str
    tokens: float


RESPONDERS: Mapping[str, Responder] = {
    "human": Responder("Human", 28.37),
    "gpt-4": Responder("GPT-4", 34.94),
    "llama-2-70b-chat": Responder("LLaMA-2-70B-Chat", 53.45),
    "mixtral-8x7b-instruct": Responder("Mixtral-8x7B-Instruct", 61.35),
    "gemini-1.0-pro": Responder("Gemini-1.0-Pro", 53.99),
}


@cache
def published_study() -> Study:
    """All results. Raters are known for two responders, and over all prompts only."""
    counts, raters = read_study(COUNTS.name, COUNTS.read_bytes()), _raters()
    whole = [replace(cell, raters=raters.get(cell.responder)) for cell in counts.cells[ALL]]
    return study_statistics(
        {**counts.cells, ALL: whole},
        reference=REFERENCE,
        n_raters=counts.n_raters,
        draws=DRAWS,
        seed=SEED,
    )


def _raters() -> dict[str, Raters]:
    lists: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for row in read_table(RATERS, RATER_COLUMNS):
        n, good, raters = (int(row.number(column, 0, 1000)) for column in RATER_COLUMNS[1:])
        lists[row.cells["responder"]][0].extend([good] * raters)
        lists[row.cells["responder"]][1].extend([n] * raters)
    return {responder: raters_of(good, n) for responder, (good, n) in lists.items()}
