from django.db import migrations, models


class Migration(migrations.Migration):
    """Neither operation copies the table of results: a column that may be null, and another name for one."""

    dependencies = [
        ("evaluation", "0016_judges"),
    ]

    operations = [
        migrations.AddField(
            model_name="itemresult",
            name="part",
            field=models.CharField(max_length=20, null=True),
        ),
        migrations.RenameField(
            model_name="itemresult",
            old_name="more_parts",
            new_name="other_parts",
        ),
    ]
