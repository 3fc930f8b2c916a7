"""Public runs and their items."""

from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Router

from evaluation.disclosure import failure_of, manifest_of
from evaluation.models import Run
from evaluation.runs.summaries import interval_of_run, strict_figures
from leaderboard.api.paging import Asked, page_fields, part
from leaderboard.api.schemas import AnswerPage, RunDetail, RunPage
from leaderboard.pages.api.public_rows import public_runs
from leaderboard.pages.models.former_slugs import present_slugs
from leaderboard.pages.rankings.rows import old_scorers
from leaderboard.pages.runs.answers import answer_rows
from leaderboard.pages.shared.corrections import corrections_of
from leaderboard.standings import ranking_key
from leaderboard.wording.other_settings import in_words

router = Router(tags=["Runs"])


@router.get("/runs", response=RunPage, summary="Public runs, newest first")
def list_runs(request: HttpRequest, asked: Asked, model: str = "", bank: str = "") -> dict[str, Any]:
    """`model` and `bank` are slugs and leave only the runs of this model or on this bank. Former slugs work too."""
    model = present_slugs([model]).get(model, model)
    runs = public_runs(model.replace("\0", ""), bank.replace("\0", ""))
    return {
        **page_fields(request, asked, runs.count()),
        "results": [run_fields(run) for run in part(runs, asked)],
    }


@router.get("/runs/{run_id}", response=RunDetail, summary="One run with its manifest and corrections")
def get_run(request: HttpRequest, run_id: int) -> dict[str, Any]:
    run = get_object_or_404(public_runs(), pk=run_id)
    return {**run_fields(run), "corrections": list(corrections_of(run)), "manifest": manifest_of(run)}


@router.get("/runs/{run_id}/items", response=AnswerPage, summary="What was read from each reply of a run")
def list_answers(request: HttpRequest, run_id: int, asked: Asked) -> dict[str, Any]:
    """By item number, repeat and part. The run's score is made from the rows with counted and a score."""
    run = get_object_or_404(public_runs(), pk=run_id)
    rows = answer_rows(run)
    return {
        **page_fields(request, asked, len(rows)),
        "run": run.pk,
        "results": rows[asked.offset : asked.offset + asked.limit],
    }


def run_fields(run: Run) -> dict[str, Any]:
    """The fields of `RunOut`; model and bank are at hand."""
    interval = interval_of_run(run)
    return {
        **vars(run),
        **strict_figures(run.figures),
        "failure_message": failure_of(run),
        "model": run.model.slug,
        "model_name": run.model.name,
        "bank": run.bank.slug,
        "bank_sha256": run.bank.sha256,
        "interval_low": interval.low if interval else None,
        "interval_high": interval.high if interval else None,
        "vouched_by": run.vouched_by or None,  # type: ignore[attr-defined]  # annotated
        "needs_rescoring": bool(old_scorers(run.scorer_version)),
        "other_settings": in_words(run.departures),
        "ranking": ranking_key(run.bank.slug, run.bank.benchmark, run.benchmark, run.variant),
        "partial": run.limit is not None,
        "parent": run.parent_id,
    }
