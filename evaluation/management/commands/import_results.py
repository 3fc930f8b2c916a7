"""Imports results that were made elsewhere. A bad file never stops the others."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from evaluation.importers.eqbench_runs import Imported
from evaluation.importers.peers.bundles import Bundle, bundles_of, import_bundle
from evaluation.importers.refusals import FileError
from evaluation.management.base import BaseCommand
from evaluation.models import Run
from evaluation.runs.announcing import announce_here

_NAMED_ITEMS = 12


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file: the imported run, or why it was refused."""

    file: str
    imported: Imported | None
    error: str = ""

    def as_json(self) -> dict[str, Any]:
        if self.imported is None:
            return {"file": self.file, "error": self.error}
        run = self.imported.run
        entry = {"file": self.file, "run": run.pk, "created": self.imported.created}
        return {**entry, "score": run.score, "published_score": run.published_score, **_peer_of(run)}

    def __str__(self) -> str:
        if self.imported is None:
            return f"{self.file}: refused"
        run = self.imported.run
        score = "no score" if run.score is None else f"{run.score:.2f}"
        verb = "imported as" if self.imported.created else "is already"  # the same result, whatever its bytes
        return "\n".join([f"{self.file}: {verb} run {run.pk} of {run.model.name}, {score}", *_differences(run)])


class Command(BaseCommand):
    help = (
        "Import results: official EQ-Bench run files, samples of lm-evaluation-harness, reviews of evalscope, tables "
        "of answers to EmotionBench (CSV, a run a model). The format is detected from the content. All or nothing for "
        "each run; importing the same results again creates nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "paths", metavar="PATH", nargs="+", type=Path, help="a file, or a folder that is searched recursively"
        )
        parser.add_argument(
            "--new-model", action="store_true", help="treat a name similar to a known model's as a different model"
        )
        parser.add_argument(
            "--configuration",
            default="",
            help="configuration of the model, for example Q4_K_M or thinking-off; it gets its own row",
        )
        parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON array, an entry a run")

    def handle(self, *args: Any, paths: list[Path], as_json: bool, **options: Any) -> None:
        outcomes = []
        for bundle in _bundles(paths):
            outcomes.append(_outcome(bundle, configuration=options["configuration"], new_model=options["new_model"]))
            if not as_json:
                self.stdout.write(str(outcomes[-1]))
        if as_json:
            self.stdout.write(json.dumps([outcome.as_json() for outcome in outcomes], indent=2))
        if any(outcome.imported and outcome.imported.created for outcome in outcomes):
            announce_here()
        _complain(outcomes)


def _bundles(paths: Sequence[Path]) -> list[Bundle]:
    bundles = {(bundle.path.resolve(), bundle.model): bundle for path in paths for bundle in bundles_of(path)}
    if not bundles:
        raise CommandError("There is no .json file to import, and no .jsonl file or table of questionnaires either.")
    return list(bundles.values())


def _outcome(bundle: Bundle, *, configuration: str, new_model: bool) -> Outcome:
    try:
        return Outcome(bundle.name, import_bundle(bundle, configuration=configuration, new_model=new_model))
    except FileError as error:
        return Outcome(bundle.name, None, str(error).removeprefix(f"{bundle.path.name}: "))


def _peer_of(run: Run) -> dict[str, Any]:
    """The peer's scoring against ours, with each reply that the two did not score alike. Empty for official files."""
    if run.manifest is None or "peer" not in run.manifest:
        return {}
    peer = run.manifest["peer"]
    named = {name: peer[name] for name in ("name", "version", "rules")}
    return {"peer": {**named, **run.observed.get("peer", {})}}


def _differences(run: Run) -> list[str]:
    """What a peer's file claims, and where its scoring parts from ours. Empty for official files."""
    if run.manifest is None or "peer" not in run.manifest:
        return []
    peer = run.manifest["peer"]
    claim = "no score" if run.published_score is None else f"{run.published_score:.2f}"
    code = "no score" if peer["code_rule_score"] is None else f"{peer['code_rule_score']:.2f}"
    rules = f" ({'; '.join(peer['rules'])})" if peer["rules"] else ""
    kinds = [_kind(name, count, peer.get(name, [])) for name, count in peer["replies"].items() if count]
    return [f"  {peer['name']} {peer['version']} says {claim}{rules}; by the code rule here {code}", *kinds]


def _kind(name: str, count: int, items: Sequence[str]) -> str:
    named = ", ".join(items[:_NAMED_ITEMS])
    rest = f" and {len(items) - _NAMED_ITEMS} more" if len(items) > _NAMED_ITEMS else ""
    return f"  {name}: {count}{f' (item {named}{rest})' if items else ''}"


def _complain(outcomes: Sequence[Outcome]) -> None:
    refused = [f"{outcome.file}: {outcome.error}" for outcome in outcomes if outcome.imported is None]
    if refused:
        count = f"{len(refused)} of {len(outcomes)} files were refused" if len(outcomes) > 1 else "The file was refused"
        raise CommandError(f"{count}.\n" + "\n".join(refused))
