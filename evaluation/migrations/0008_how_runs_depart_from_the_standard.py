from typing import Any

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from evaluation.benchmarks import BENCHMARKS
from evaluation.runs.departures import departures

ASKED_FROM_HERE = ("measured", "demo")
COLUMNS = ("pk", "benchmark", "settings", "manifest", "observed", "endpoint__extra_body")


def fill(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Of runs that have ended: from the manifest, which holds what was sent, and where there is none the endpoint."""
    runs = apps.get_model("evaluation", "Run")._base_manager
    ended = runs.filter(origin__in=ASKED_FROM_HERE, status__in=("finished", "failed"), benchmark__in=list(BENCHMARKS))
    for pk, benchmark, settings, manifest, observed, extra_body in ended.values_list(*COLUMNS).iterator(chunk_size=500):
        found = departures(
            settings,
            BENCHMARKS[benchmark],
            extra_body=sent_beside(manifest, extra_body),
            negotiated=observed.get("negotiated", {}),
        )
        if found:
            runs.filter(pk=pk).update(departures=found)


def sent_beside(manifest: Any, extra_body: Any) -> Any:
    sealed = (manifest or {}).get("endpoint") or {}
    return sealed.get("extra_body", extra_body) or {}


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0007_runs_without_a_score_are_found"),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="departures",
            field=models.JSONField(
                blank=True,
                default=dict,
                help_text="settings that were not the benchmark's standard ones, known at the end",
            ),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
