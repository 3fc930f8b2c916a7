import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("leaderboard", "0011_runs_of_standings_as_they_were"),
    ]

    operations = [
        migrations.CreateModel(
            name="Mail",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("subject", models.CharField(max_length=200)),
                ("text", models.TextField()),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("next_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="mails", to="leaderboard.submission"
                    ),
                ),
            ],
            options={
                "ordering": ["next_at", "id"],
            },
        ),
    ]
