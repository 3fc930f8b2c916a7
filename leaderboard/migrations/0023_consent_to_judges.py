from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0022_reports_of_visitors"),
    ]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="consent_version",
            field=models.PositiveSmallIntegerField(default=1, help_text="of the words that were agreed to"),
        ),
        migrations.AddField(
            model_name="submission",
            name="judging_consent",
            field=models.BooleanField(default=False, help_text="replies may be sent to the judges of this board"),
        ),
    ]
