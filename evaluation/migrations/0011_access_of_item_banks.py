"""One field says what is public of a bank. It takes the place of two booleans, of which one overruled the other."""

from django.db import migrations, models
from django.db.models import Case, Value, When


def fill(apps, schema_editor):
    banks = apps.get_model("evaluation", "ItemBank").objects.using(schema_editor.connection.alias)
    private, public = When(private=True, then=Value("private")), When(texts_public=True, then=Value("open"))
    banks.update(access=Case(private, public, default=Value("withheld")))


def empty(apps, schema_editor):
    banks = apps.get_model("evaluation", "ItemBank").objects.using(schema_editor.connection.alias)
    banks.filter(access="private").update(private=True)
    banks.filter(access="open").update(texts_public=True)


class Migration(migrations.Migration):

    dependencies = [
        ('evaluation', '0010_runs_wait_to_be_announced'),
    ]

    operations = [
        migrations.AddField(
            model_name='itembank',
            name='access',
            field=models.CharField(choices=[('open', 'Open'), ('withheld', 'Withheld'), ('private', 'Private')], default='withheld', help_text='what of its items and their answers is public', max_length=8),
        ),
        migrations.RunPython(fill, empty),
        migrations.RemoveField(
            model_name='itembank',
            name='private',
        ),
        migrations.RemoveField(
            model_name='itembank',
            name='texts_public',
        ),
    ]
