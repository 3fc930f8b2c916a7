from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0009_statistics_kept_ready"),
    ]

    operations = [
        migrations.AddField(
            model_name="standing",
            name="run_ids",
            field=models.JSONField(blank=True, default=list),
        ),
        migrations.AddField(
            model_name="standing",
            name="other_settings",
            field=models.TextField(blank=True, help_text="how its runs were asked; empty: by the standard settings"),
        ),
        migrations.AddField(
            model_name="standing",
            name="scorer_version",
            field=models.TextField(blank=True, help_text="of its runs; several are joined by commas"),
        ),
    ]
