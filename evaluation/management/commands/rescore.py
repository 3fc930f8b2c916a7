"""Scores stored runs anew with the present scorer. No request is sent."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError, CommandParser

from evaluation.management.base import BaseCommand
from evaluation.models import Run
from evaluation.runs.announcing import announce_here
from evaluation.runs.rescoring import Rescored, rescore_run


class Command(BaseCommand):
    help = "Rescore stored runs from their replies or answers. Old values are kept in each run's history."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("runs", metavar="RUN", nargs="*", type=int, help="number of a run")
        parser.add_argument("--all", action="store_true", dest="every", help="every run")
        parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON array, an entry a run")

    def handle(self, *args: Any, runs: list[int], every: bool, as_json: bool, **options: Any) -> None:
        outcomes = []
        for run_id in _chosen(runs, every=every):
            outcomes.append(rescore_run(run_id))
            if not as_json:
                self.stdout.write(_line(outcomes[-1]))
        if any(outcome.changed for outcome in outcomes):
            announce_here()
        if as_json:
            self.stdout.write(json.dumps([asdict(outcome) for outcome in outcomes], indent=2))
        else:
            self.stdout.write(f"{sum(outcome.changed for outcome in outcomes)} of {len(outcomes)} runs changed.")


def _chosen(runs: Sequence[int], *, every: bool) -> list[int]:
    if every == bool(runs):
        raise CommandError("Name the runs to rescore, or give --all.")
    known = Run.objects.order_by("pk").values_list("pk", flat=True)
    if every:
        return list(known)
    missing = sorted(set(runs) - set(known.filter(pk__in=runs)))
    if missing:
        raise CommandError(f"There is no run {', '.join(map(str, missing))}. Nothing was changed.")
    return list(dict.fromkeys(runs))


def _line(outcome: Rescored) -> str:
    if outcome.skipped:
        return f"run {outcome.run_id}: skipped ({outcome.skipped})"
    change = f"{_points(outcome.old_score)} -> {_points(outcome.new_score)}"
    if not outcome.changed:
        return f"run {outcome.run_id}: {_points(outcome.new_score)}, unchanged"
    replies = ", ".join(f"{kind}: {n}" for kind, n in outcome.replies.items())
    return f"run {outcome.run_id}: {change}" + (f" (replies {replies})" if replies else "")


def _points(score: float | None) -> str:
    return "no score" if score is None else f"{score:.2f}"
