"""Takes away what was computed of private banks with every digit; the next refresh makes their rows in whole points."""

from django.db import migrations
from django.db.models import Q


def forget(apps, schema_editor):
    alias = schema_editor.connection.alias
    banks = apps.get_model("evaluation", "ItemBank").objects.using(alias).filter(access="private")
    slugs = list(banks.values_list("slug", flat=True))
    if not slugs:
        return
    own = Q(ranking__in=slugs)
    for slug in slugs:
        own |= Q(ranking__startswith=f"{slug}--")
    for name in ("Standing", "ReadyPart", "StatisticsRow", "StatisticsSection"):
        apps.get_model("leaderboard", name).objects.using(alias).filter(own).delete()
    fields = apps.get_model("leaderboard", "FieldFigures").objects.using(alias).filter(own)
    apps.get_model("leaderboard", "ItemAnswers").objects.using(alias).filter(field__in=fields).delete()
    fields.delete()
    apps.get_model("leaderboard", "StatisticsSection").objects.using(alias).filter(section="banks").delete()


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0012_mails_to_submitters'),
        ('evaluation', '0011_access_of_item_banks'),
    ]

    operations = [
        migrations.RunPython(forget, migrations.RunPython.noop),
    ]
