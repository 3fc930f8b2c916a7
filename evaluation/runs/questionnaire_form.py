"""A stored run of EmotionBench as a table of questionnaires, which imports again to the same answers and score.

The table is that of the authors' released answers: a line a questionnaire, its answers in the order of the words. The
order in which the words were shown is not in it, and neither is a reply.
"""

from collections.abc import Iterator, Mapping

from evaluation.benchmarks.emotionbench import EMOTION_BENCH
from evaluation.benchmarks.emotionbench.bank import DEFAULT, factor_of
from evaluation.benchmarks.emotionbench.reading import REASONS
from evaluation.importers.questionnaire_files import COLUMNS, SUM_COLUMNS, written
from evaluation.models import ItemResult, Run
from evaluation.runs.official_form import NotExportable

NAMES = (*COLUMNS, *SUM_COLUMNS, "reason")


def is_of_questionnaires(run: Run) -> bool:
    return run.benchmark == EMOTION_BENCH.name


def table_name(run: Run) -> str:
    return f"{run.model.slug}_run{run.pk}_{run.variant}_questionnaires.csv"


def table_of(run: Run) -> bytes:
    """The table of a run whose model and bank are at hand. Raises NotExportable: open, partial or of a private bank."""
    for holds, sentence in (
        (run.is_open, f"is {run.status}: only a run that has ended has a file."),
        (not run.bank.shows_items, f"was asked the private bank {run.bank.slug}."),
        (run.limit is not None, f"asked {run.n_items} items only: the table is for whole runs."),
    ):
        if holds:
            raise NotExportable(f"Run {run.pk} {sentence}")
    return written(NAMES, _rows(run))


def _rows(run: Run) -> Iterator[Mapping[str, object]]:
    model = str((run.manifest or {}).get("model_path") or run.model.name)
    for result in run.results.select_related("item").order_by("item__number", "repeat").iterator(chunk_size=500):
        yield {"model": model, **_item(result), "run": result.repeat - 1, **_answers(result)}


def _item(result: ItemResult) -> dict[str, str]:
    item_id = result.item.item_id
    if item_id == DEFAULT:
        return {"condition": DEFAULT, "used_index": ""}
    return {"condition": factor_of(item_id), "used_index": item_id.partition("#")[2]}


def _answers(result: ItemResult) -> dict[str, object]:
    """A reply that never came has no reason in the table: its words are about an endpoint."""
    if result.answer is None:
        return {"reason": result.reason if result.reason in REASONS else ""}
    positive, negative = (f"{value:g}" for value in result.values or ())
    return {"answers": "".join(f"{value:g}" for value in result.answer), "positive": positive, "negative": negative}
