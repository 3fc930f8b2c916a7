"""A database as an older schema had it, filled by that schema's own models: what an upgrade must keep.

`python -m tests.older_schemas fill first` (or `previous`) fills an empty DATABASE_URL and prints its rows; with `rows`
instead it prints the same rows as they stand after an upgrade.
"""

import hashlib
import json
import sys
import uuid
from datetime import UTC, datetime
from typing import Any

import django
from django.apps import apps as newest
from django.apps.registry import Apps
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

Targets = list[tuple[str, str]]
FIRST: Targets = [("evaluation", "0001_initial"), ("leaderboard", "0001_initial")]
WHEN = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
SCORES = [100 / 3, -2.5, 61.0 + 1e-13]
REPLACED = {"score": 1 / 3, "strict_score": None, "scorer_version": "v0", "replaced_at": WHEN.isoformat()}
ODD_REPLY = 'two\nlines, "quotes", \u2028, \U0001f600'


def targets(schema: str) -> Targets:
    """`first`, or `previous`: the newest one without the newest migration of either app."""
    if schema == "first":
        return FIRST
    loader = MigrationExecutor(connection).loader
    leaves = [node for node in loader.graph.leaf_nodes() if node[0] in dict(FIRST)]
    return [
        (app, max(name for label, name in loader.graph.nodes if label == app and name < last)) for app, last in leaves
    ]


def apps_of(schema: str) -> Apps:
    found: Apps = MigrationExecutor(connection).loader.project_state(targets(schema)).apps
    return found


class Filling:
    """Rows of every kind that the first schema knew, by the models of the schema that is given."""

    def __init__(self, apps: Apps) -> None:
        self._apps = apps

    def new(self, label: str, **fields: Any) -> Any:
        return self._apps.get_model(label)._base_manager.create(**fields)

    def fill(self) -> None:
        self.model = self.new("evaluation.LanguageModel", name="maker/one", slug="one", display_name="one")
        self.endpoint = self.new(
            "evaluation.Endpoint", model=self.model, base_url="https://m.example/v1", api_model="one", owner="me",
            sealed_key="v1:sealed", extra_body={"a": [1, 1.0, None]},
        )  # fmt: skip
        self.bank = self.new(
            "evaluation.ItemBank", slug="scenes", benchmark="eq-bench-v2", title="Scenes", version="1",
            sha256=hashlib.sha256(b"scenes").hexdigest(), **self._open_to_all(),
        )  # fmt: skip
        self.items = self._items()
        self._runs_of_awkward_scores()
        self._open_runs()
        self._submission(self._a_run_that_can_be_scored_anew())
        self.new(
            "evaluation.ReferenceScore", model=self.model, benchmark="eq-bench-v2", value=SCORES[0], as_of="2024-02",
            source="a paper", preferred=True,
        )  # fmt: skip

    def _open_to_all(self) -> dict[str, Any]:
        bank = self._apps.get_model("evaluation.ItemBank")
        names = {field.name for field in bank._meta.get_fields()}
        return {"access": "open"} if "access" in names else {"texts_public": True}

    def _items(self) -> list[Any]:
        from tests.factories import scene_labels, scene_prompt, scene_reference

        return [
            self.new(
                "evaluation.Item", bank=self.bank, number=number, item_id=str(number), prompt=scene_prompt(number),
                labels=list(scene_labels(number)), reference=[float(value) for value in scene_reference(number)],
            )
            for number in range(1, 6)
        ]  # fmt: skip

    def _run(self, **fields: Any) -> Any:
        usual = {
            "model": self.model, "endpoint": self.endpoint, "bank": self.bank, "benchmark": "eq-bench-v2",
            "origin": "measured", "n_items": 5, "settings": {"revision": False, "system_prompt": "", "max_tokens": 60},
        }  # fmt: skip
        return self.new("evaluation.Run", **{**usual, **fields})

    def _result(self, run: Any, item: Any, reply: str, **fields: Any) -> None:
        result = self.new("evaluation.ItemResult", run=run, item=item, **fields)
        self.new("evaluation.Reply", result=result, text=reply)

    def _runs_of_awkward_scores(self) -> None:
        for score in SCORES:
            run = self._run(
                status="finished", published=True, score=score, repeats=2, repeat_scores=[score, None], n_scored=1,
                standard_error=1e-17, finished_at=WHEN, score_history=[REPLACED],
            )  # fmt: skip
            read = {"state": "read", "reading": "official", "answer": [0.1, 2.0, 0, 10], "score": score / 10}
            self._result(run, self.items[0], "A: 0\nB: 2", **read)
            self._result(run, self.items[0], ODD_REPLY, repeat=2, state="unread", reason="no scores found")

    def _open_runs(self) -> None:
        self._run(status="queued", queued_at=WHEN)
        other = self.new("evaluation.Endpoint", model=self.model, base_url="https://n.example/v1", owner="you")
        leased = {"lease_token": uuid.UUID(int=7), "lease_until": WHEN, "started_at": WHEN}
        running = self._run(status="running", endpoint=other, **leased)
        self._result(running, self.items[0], "", state="fault", reason="timed out", attempts=3)
        self._run(status="failed", failure_kind="endpoint", failure_message="It is away.", fault_counts={"endpoint": 3})

    def _a_run_that_can_be_scored_anew(self) -> Any:
        """Replies that repeat the reference, 10 points each: 100."""
        from evaluation.benchmarks import BENCHMARKS
        from tests.factories import scene_reference, scene_reply

        run = self._run(
            status="finished", published=True, finished_at=WHEN, score=100.0, standard_error=0.0,
            repeat_scores=[100.0], n_scored=5, parse_share=1.0, counted_part="first_pass",
            scorer_version=BENCHMARKS["eq-bench-v2"].scorer_version, **self._figures_of_full_marks(),
        )  # fmt: skip
        for number, item in enumerate(self.items, 1):
            answer = [float(value) for value in scene_reference(number)]
            read = {"state": "read", "reading": "official", "answer": answer, "score": 10.0}
            self._result(run, item, scene_reply(number), **read)
        return run

    def _figures_of_full_marks(self) -> dict[str, Any]:
        """Figures as rescoring finds them, where the schema keeps any; the upgrade of an older one makes them."""
        names = {field.name for field in self._apps.get_model("evaluation.Run")._meta.get_fields()}
        full = {"value": 100.0, "error": 0.0, "n": 5}
        share = {"value": 1.0, "error": None, "n": None}
        figures = {"score": full, "strict_score": {**full, "error": None}, "strict_share": share}
        columns = {"strict_score": 100.0, "n_strict": 5, "strict_share": 1.0, "figures": figures}
        return {name: value for name, value in columns.items() if name in names}

    def _submission(self, run: Any) -> None:
        submission = self.new(
            "leaderboard.Submission", model=self.model, endpoint=self.endpoint, owner="me", token="t" * 22,
            contact="me@example.org", state="approved", request={"banks": ["scenes"]}, dry_run={"ok": True},
        )  # fmt: skip
        submission.runs.add(run)
        self.new("leaderboard.SubmissionEvent", submission=submission, text="Approved.")
        self.new("evaluation.KeyEvent", endpoint=self.endpoint, run=run, kind="used", detail="for run")
        self.new(
            "leaderboard.Standing", ranking="scenes", model=self.model, run=run, origin="measured", score=SCORES[0],
            rank=1, computed_at=WHEN,
        )  # fmt: skip


def rows(old: Apps, now: Apps) -> dict[str, list[dict[str, str]]]:
    """Each row of each model that the old schema knew, column by column as it named them, read by the models of now."""
    found = {}
    for model in (
        model for app in dict(FIRST) for model in old.get_app_config(app).get_models(include_auto_created=True)
    ):
        names = [field.attname for field in model._meta.concrete_fields]
        there = now.get_model(model._meta.label)._base_manager.order_by("pk").values()
        rows_then = [as_it_was(model._meta.label, row) for row in there]
        found[model._meta.label] = [{name: repr(row[name]) for name in names} for row in rows_then]
    return found


def as_it_was(label: str, row: dict[str, Any]) -> dict[str, Any]:
    """The row of now with the columns beside it that others took the place of."""
    if label == "evaluation.ItemBank" and "access" in row:
        return {**row, "texts_public": row["access"] == "open", "private": row["access"] == "private"}
    if label == "evaluation.ItemResult" and "other_parts" in row:
        return {**row, "more_parts": row["other_parts"]}
    if label == "evaluation.Run" and "strict_score" not in row:
        from evaluation.runs.summaries import strict_figures

        return {**row, **strict_figures(row["figures"])}
    if label == "leaderboard.Standing" and "figures" in row:
        return {**row, "strict_score": row["figures"].get("strict_score")}
    return row


def main(act: str, schema: str) -> None:
    if act == "fill":
        MigrationExecutor(connection).migrate(targets(schema))
        Filling(apps_of(schema)).fill()
    old = apps_of(schema)
    sys.stdout.write(json.dumps(rows(old, old if act == "fill" else newest)))


if __name__ == "__main__":
    django.setup()
    main(*sys.argv[1:])
