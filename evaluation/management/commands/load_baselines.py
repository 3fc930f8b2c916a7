"""Computes the baseline rows of all loaded banks, or of one."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from evaluation.baselines.runs import store_baselines
from evaluation.command_line import command_line
from evaluation.management.base import BaseCommand
from evaluation.models import ItemBank, Run
from evaluation.runs.announcing import announce_here


class Command(BaseCommand):
    help = (
        "Compute the baselines of each loaded bank: random answers, constant answers, words alone, reference "
        "with noise."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("banks", metavar="BANK", nargs="*", help="slug of a loaded bank (default: all)")

    def handle(self, *args: Any, banks: list[str], **options: Any) -> None:
        changed = 0
        for bank in _chosen(banks):
            runs, n_new = store_baselines(bank)
            changed += n_new
            for run in runs:
                self.stdout.write(_line(run))
        if changed:
            announce_here()
        self.stdout.write(
            f"New baseline runs: {changed}." if changed else "Nothing to do: all baselines are up to date."
        )


def _chosen(slugs: list[str]) -> list[ItemBank]:
    banks = ItemBank.objects.order_by("slug")
    missing = sorted(set(slugs) - set(banks.filter(slug__in=slugs).values_list("slug", flat=True)))
    if missing:
        loading = " and ".join(command_line("load_bank", slug) for slug in missing)
        raise CommandError(f"The bank {', '.join(missing)} is not loaded. Load it first: {loading}")
    return list(banks.filter(slug__in=slugs) if slugs else banks)


def _line(run: Run) -> str:
    score = "no score" if run.score is None else f"{run.score:.2f}"
    return f"{run.bank.slug}, {run.benchmark}: {run.model.name} {score}"
