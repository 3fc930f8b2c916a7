from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

BATCH = 500


def fill(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """The one further figure that there was so far, of the rows that come from runs which are named."""
    rows = apps.get_model("leaderboard", "Standing")._base_manager
    found = []
    for row in rows.filter(run__isnull=False).only("pk", "strict_score"):
        row.figures = {"strict_score": row.strict_score}
        found.append(row)
    rows.bulk_update(found, ["figures"], batch_size=BATCH)


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0016_files_of_the_statistics'),
    ]

    operations = [
        migrations.AddField(
            model_name='standing',
            name='figures',
            field=models.JSONField(blank=True, default=dict, help_text='its further figures, by the keys of their measures'),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
