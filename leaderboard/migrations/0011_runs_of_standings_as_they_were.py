from collections import defaultdict
from typing import Any

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

PLACE = ("bank_id", "benchmark", "model_id", "origin")


def fill(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """By the rule under which the stored rows were made, so that pages hold until the next refresh."""
    runs = apps.get_model("evaluation", "Run")._base_manager
    counted = runs.filter(status="finished", published=True, limit__isnull=True, score__isnull=False).order_by("pk")
    behind: defaultdict[tuple[Any, ...], list[int]] = defaultdict(list)
    for pk, *place in counted.values_list("pk", *PLACE):
        behind[tuple(place)].append(pk)
    standings = apps.get_model("leaderboard", "Standing")._base_manager
    rows = list(standings.filter(run__isnull=False))
    places = {pk: tuple(place) for pk, *place in runs.values_list("pk", *PLACE)}
    for row in rows:
        row.run_ids = behind[places[row.run_id]]
    standings.bulk_update(rows, ["run_ids"], batch_size=200)


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0007_runs_without_a_score_are_found"),
        ("leaderboard", "0010_standings_name_their_runs"),
    ]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
