"""Imports replies that people or a model wrote elsewhere, so that judges and people can rate them."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from evaluation.benchmarks import BENCHMARKS, JUDGES_OF
from evaluation.importers.banks import listed_for
from evaluation.importers.replies import RepliesError, import_replies
from evaluation.management.base import BaseCommand
from evaluation.models import ItemBank

MAX_BYTES = 20_000_000


class Command(BaseCommand):
    help = "Import one reply to each prompt from a file, as a run that judges may read. All or nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help='JSON, {"item id": "reply"}')
        parser.add_argument("--model", required=True, help="who replied, as the board names it; Human for people")
        parser.add_argument(
            "--new-model", action="store_true", help="--model is another one than the known one with a similar name"
        )
        parser.add_argument("--people", action="store_true", help="the replies were written by people")
        parser.add_argument("--judging", action="store_true", help="let the LLM judges of this board read them")
        parser.add_argument("--benchmark", default="empathy-replies", choices=sorted(JUDGES_OF.values()))
        parser.add_argument("--bank", help="slug of the item bank (default: the benchmark's own)")
        parser.add_argument(
            "--unlisted", action="store_true", help="keep the run off the board; else its replies are shown there"
        )

    def handle(
        self, *, file: Path, model: str, people: bool, judging: bool, benchmark: str, unlisted: bool, **options: Any
    ) -> None:
        scorer = BENCHMARKS[benchmark]
        listed = listed_for(scorer)
        slug = options["bank"] or (listed.slug if listed else scorer.bank)
        bank = ItemBank.objects.filter(slug=slug, benchmark=scorer.bank).first()
        if bank is None:
            raise CommandError(f"There is no item bank {slug} of {scorer.bank}.")
        try:
            run, new = import_replies(
                scorer, bank, _replies(file), model=model, source=file.name, by_people=people, judging=judging,
                published=not unlisted, new_model=options["new_model"],
            )  # fmt: skip
        except RepliesError as error:
            raise CommandError(f"{file} is refused: {error}. Nothing was imported.") from error
        words = "is imported" if new else "was imported before, so nothing was done"
        self.stdout.write(f"Run {run.pk}, {run.results.count()} replies of {run.model.name}, {words}.")


def _replies(file: Path) -> dict[str, str]:
    try:
        if file.stat().st_size > MAX_BYTES:
            raise RepliesError(f"it is larger than {MAX_BYTES // 1_000_000} MB")
        found = json.loads(file.read_text(encoding="utf-8-sig"), object_pairs_hook=_once)
    except RepliesError:
        raise
    except (OSError, ValueError, RecursionError) as error:  # also a number of thousands of digits, and nesting too deep
        raise CommandError(f"{file} cannot be read: {error}") from error
    if not isinstance(found, dict) or not all(isinstance(reply, str) for reply in found.values()):
        raise RepliesError('it has to be one JSON object, {"item id": "reply"}')
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise RepliesError("an item stands in it twice")
    return dict(pairs)
