from django.db import migrations


class Migration(migrations.Migration):
    """`Run.figures` has held these numbers since 0014, which filled it for the runs before it."""

    dependencies = [
        ("evaluation", "0018_settled_parts"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="run", name="strict_within_scored"),
        migrations.RemoveField(model_name="run", name="strict_score"),
        migrations.RemoveField(model_name="run", name="n_strict"),
        migrations.RemoveField(model_name="run", name="strict_share"),
    ]
