"""A board of SECEU runs on a bank of our own making: answers in, results and summaries as the engine makes them."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from statistics import fmean
from typing import Any

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import FIRST_PART, Answer, Reading
from evaluation.benchmarks.seceu.reading import NO_SCORES
from evaluation.benchmarks.seceu.scoring import EQ_SD, PEOPLE_MEAN, PEOPLE_SD, distance
from evaluation.importers.private_banks import load_private_files
from evaluation.models import Access, FaultKind, ItemBank, ItemResult, Run, Status
from evaluation.runs.summaries import as_item, result_fields, summarise_run, summary_fields, why_unscored
from tests.evaluation.benchmarks.seceu_files import items_file, seceu_files
from tests.factories import make_model, make_run

ENDED = datetime(2026, 11, 20, 12, tzinfo=UTC)
FAR = (1.0, 2.0, 3.0, 4.0)
THREE = {"amber": 141.7, "birch": 112.2, "cedar": 107.4}
Points = Sequence[float]


def seceu_bank(n_items: int = 40, slug: str = "seceu", **changed: Any) -> ItemBank:
    """The bank as the listed one is stored: withheld, and under the name of its family."""
    files = seceu_files(items=items_file(n_items), **changed)
    bank, _ = load_private_files(BENCHMARKS["seceu"], files, f"office-{slug}")
    ItemBank.objects.filter(pk=bank.pk).update(slug=slug, title="SECEU", access=Access.WITHHELD)
    bank.refresh_from_db()
    return bank


def answers_with(bank: ItemBank, eq: float) -> dict[str, Points]:
    """Answers that get this EQ: as far from each standard, towards FAR, as it takes."""
    wanted = PEOPLE_MEAN - (eq - 100) * PEOPLE_SD / EQ_SD
    items = [as_item(row) for row in bank.items.all()]
    share = wanted / fmean(distance(FAR, item.reference) for item in items)
    return {
        item.id: tuple(standard + share * (far - standard) for far, standard in zip(FAR, item.reference, strict=True))
        for item in items
    }


def reading_of(values: Points | None) -> Reading:
    """What is read from a reply with these points; None from one without any."""
    if values is None:
        return Reading((Answer(FIRST_PART, "none", reason=NO_SCORES),), complete=False)
    return Reading((Answer(FIRST_PART, "JSON", tuple(values)),), complete=True)


def seceu_run(
    bank: ItemBank,
    answers: Mapping[str, Points],
    *more: Mapping[str, Points],
    name: str = "",
    benchmark: str = "seceu",
    unread: Iterable[str] = (),
    **fields: Any,
) -> Run:
    """A public run with these answers by item, a mapping a repeat; `unread` items had no answer in any of them."""
    rule, repeats = BENCHMARKS[benchmark], (answers, *more)
    model = fields.pop("model", None) or make_model(name and f"maker/{name}", **({"slug": name} if name else {}))
    run = make_run(
        bank=bank,
        model=model,
        benchmark=benchmark,
        status=Status.RUNNING,
        repeats=len(repeats),
        published=True,
        **fields,
    )
    missing, rows = set(unread), list(bank.items.order_by("number"))
    ItemResult.objects.bulk_create(
        ItemResult(
            run=run, item=row, repeat=repeat, attempts=1,
            **result_fields(reading_of(None if row.item_id in missing else values[row.item_id]), rule, as_item(row)),
        )
        for repeat, values in enumerate(repeats, 1)
        for row in rows
    )  # fmt: skip
    summary = summarise_run(run)
    failed = bool(why_unscored(summary, rule))
    status = Status.FAILED if failed else Status.FINISHED
    kind = FaultKind.PARSE if failed else ""
    Run.objects.filter(pk=run.pk).update(
        **summary_fields(summary, rule), status=status, failure_kind=kind, lease_token=None, finished_at=ENDED
    )
    run.refresh_from_db()
    return run


def three(bank: ItemBank) -> dict[str, Run]:
    """The three models of the redesign's section 11."""
    return {name: seceu_run(bank, answers_with(bank, eq), name=name) for name, eq in THREE.items()}
