"""`manage.py study_statistics`: who is rated Good how often, and who differs, from a file of ratings or counts."""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from evaluation.importers.study_files import CODINGS, MAX_BYTES, Coding, StudyFile, StudyFileError, read_study
from evaluation.management.base import BaseCommand
from evaluation.signs import escaped, spelled
from evaluation.statistics.raters import DRAWS
from evaluation.statistics.responders import study_statistics
from evaluation.statistics.study_figures import Study
from evaluation.study_report import study_object, study_text

REFERENCE = "human"


class Command(BaseCommand):
    help = (
        "Computes the statistics of the empathetic-responding study from a CSV file: of ratings (item_id, responder, "
        "rater, value and, where known, emotion) or of counts (scope, responder, good with n or with bad and okay). "
        "Nothing is stored."
    )

    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", help="CSV in UTF-8; - reads standard input")
        parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object")
        parser.add_argument(
            "--reference",
            default=REFERENCE,
            metavar="NAME",
            help=f"responder that gains are relative to (default: {REFERENCE})",
        )
        parser.add_argument(
            "--coding",
            default="words",
            choices=list(CODINGS),
            help="how ratings are written (default: Bad, Okay, Good)",
        )
        parser.add_argument(
            "--ratings-per-reply", default=1, type=_whole(1, 1000), metavar="N", help="allowed (default: 1)"
        )
        parser.add_argument(
            "--items-per-rater", default=None, type=_whole(1, 1000), metavar="N", help="wanted (default: any)"
        )
        parser.add_argument(
            "--draws", default=DRAWS, type=_whole(100, 100_000), metavar="N", help=f"of chance (default: {DRAWS})"
        )
        parser.add_argument("--seed", default=0, type=_whole(0, 2**31), metavar="N", help="of chance (default: 0)")

    def handle(self, *args: Any, file: str, as_json: bool, **options: Any) -> None:
        name = "Standard input" if file == "-" else file
        found = _read(name, file, options)
        reference = _reference(found, name, options["reference"])
        try:
            study = study_statistics(
                found.cells,
                reference=reference,
                n_raters=found.n_raters,
                draws=options["draws"],
                seed=options["seed"],
            )
        except ValueError as error:
            raise CommandError(f"{name}: {error}. Fix: add what is missing, or choose another --reference.") from error
        self.stdout.write(_as_json(found, study, name, options) if as_json else _as_text(found, study, name))


def _whole(low: int, high: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not low <= int(text[:12]) <= high:
            raise argparse.ArgumentTypeError(f"{spelled(text)[:20]} is no whole number from {low} to {high}")
        return int(text)

    return number


def _read(name: str, file: str, options: dict[str, Any]) -> StudyFile:
    coding: Coding = options["coding"]
    try:
        return read_study(
            name,
            _content(file),
            coding=coding,
            ratings_per_reply=options["ratings_per_reply"],
            items_per_rater=options["items_per_rater"],
        )
    except OSError as error:
        raise CommandError(f"{name} cannot be read ({error.strerror}).") from error
    except StudyFileError as error:
        raise CommandError(f"{error}\nNothing was computed.") from error


def _content(file: str) -> bytes:
    """At most one byte more than is allowed, so that a file without end is refused and not read."""
    if file == "-":
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    with Path(file).open("rb") as opened:
        return opened.read(MAX_BYTES + 1)


def _reference(found: StudyFile, name: str, wanted: str) -> str:
    """In any case of letters: no two responders of a file differ by that alone."""
    for responder in found.responders:
        if responder.casefold() == wanted.casefold():
            return responder
    responders = ", ".join(found.responders)
    raise CommandError(f"{name} has no responder {wanted}. Fix: choose one with --reference NAME, of: {responders}.")


def _as_json(found: StudyFile, study: Study, name: str, options: dict[str, Any]) -> str:
    about = {"file": name, "kind": found.kind, "rows": found.rows, "pooled_waves": found.pooled_waves}
    content = study_object(study, draws=options["draws"], seed=options["seed"], **about)
    return escaped(json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2))


def _as_text(found: StudyFile, study: Study, name: str) -> str:
    what = f"{found.rows} ratings" if found.kind == "ratings" else f"counts of {found.rows} cells"
    return study_text(study, title=f"{name}: {what}, {len(found.responders)} responders{_pooled(found)}")


def _pooled(found: StudyFile) -> str:
    if not found.pooled_waves:
        return ""
    return (
        f"\nThe {len(found.pooled_waves)} waves of this file are pooled. A study on the board keeps them apart: each "
        "later group of a responder has a line of its own there."
    )
