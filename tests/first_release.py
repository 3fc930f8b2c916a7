"""A database as the first release had it, filled by that release's own models: what an upgrade must keep.

Run as `python -m tests.first_release` on an empty DATABASE_URL.
"""

import hashlib
import json
import sys
from datetime import UTC, datetime
from typing import Any

import django
from django.apps.registry import Apps
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

FIRST = [("evaluation", "0001_initial"), ("leaderboard", "0001_initial")]
WHEN = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
SCORES = [100 / 3, -2.5, 61.0 + 1e-13]


def first_apps() -> Apps:
    """The tables and models of the first release."""
    executor = MigrationExecutor(connection)
    executor.migrate(FIRST)
    return MigrationExecutor(connection).loader.project_state(FIRST).apps


def fill(apps: Apps) -> None:
    def new(label: str, **fields: Any) -> Any:
        return apps.get_model(label)._base_manager.create(**fields)

    model = new("evaluation.LanguageModel", name="maker/one", slug="one", display_name="one")
    endpoint = new("evaluation.Endpoint", model=model, base_url="https://m.example/v1", api_model="one", owner="me")
    bank = new(
        "evaluation.ItemBank", slug="scenes", benchmark="eq-bench-v2", title="Scenes", version="1",
        sha256=hashlib.sha256(b"scenes").hexdigest(),
    )  # fmt: skip
    item = new("evaluation.Item", bank=bank, number=1, item_id="1", prompt="p", labels=["A", "B"], reference=[1.0, 2.0])
    for score in SCORES:
        run = new(
            "evaluation.Run", model=model, endpoint=endpoint, bank=bank, benchmark="eq-bench-v2", origin="measured",
            status="finished", published=True, score=score, n_items=1, n_scored=1, finished_at=WHEN,
        )  # fmt: skip
        result = new(
            "evaluation.ItemResult", run=run, item=item, state="read", reading="official", answer=[0.1, 2.0],
            score=score / 10,
        )  # fmt: skip
        new("evaluation.Reply", result=result, text="A: 0\nB: 2")
    new("evaluation.Run", model=model, bank=bank, benchmark="eq-bench-v2", origin="measured", n_items=1)
    submission = new("leaderboard.Submission", model=model, endpoint=endpoint, owner="me", token="t" * 22)
    submission.runs.add(run)
    new(
        "leaderboard.Standing", ranking="scenes", model=model, run=run, origin="measured", score=SCORES[0], rank=1,
        computed_at=WHEN,
    )  # fmt: skip


def scores() -> dict[str, Any]:
    """What must be the same after an upgrade, as the newest code reads it."""
    from evaluation.models import ItemResult, Reply, Run
    from leaderboard.models import Submission

    return {
        "runs": [repr(row) for row in Run.objects.order_by("pk").values_list("status", "score", "finished_at")],
        "results": [repr(row) for row in ItemResult.objects.order_by("pk").values_list("answer", "score", "reading")],
        "replies": list(Reply.objects.order_by("pk").values_list("text", flat=True)),
        "submissions": list(Submission.objects.values_list("token", "runs__score")),
    }


if __name__ == "__main__":
    django.setup()
    if "--scores" in sys.argv:
        sys.stdout.write(json.dumps(scores()))
    else:
        fill(first_apps())
