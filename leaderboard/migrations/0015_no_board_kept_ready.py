"""The board of a ranking is made of its rows again: nothing reads the part that was kept ready of it."""

from django.db import migrations


def forget(apps, schema_editor):
    apps.get_model("leaderboard", "ReadyPart").objects.filter(name="board").delete()


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0014_one_order_of_all_models")]
    operations = [migrations.RunPython(forget, migrations.RunPython.noop)]
