import json
import zlib

import leaderboard.models
from django.db import migrations, models


def fill_added(apps, schema_editor):
    """The day on which a row's newest run joined the board; of published figures the day on which the row was computed,
    since nothing older is known of them. Rows of private banks keep to the first of the month."""
    Standing = apps.get_model('leaderboard', 'Standing')
    rows = Standing.objects.select_related('run').defer('run__manifest', 'run__settings', 'run__observed')
    changed = []
    for row in rows.iterator(chunk_size=500):
        run = row.run
        joined = run and (run.published_changed_at or (run.created_at if run.origin == 'imported' else run.finished_at) or run.created_at)
        private = run is None and row.origin in ('measured', 'imported')
        day = (joined or row.computed_at).date()
        row.added_on = day.replace(day=1) if private else day
        changed.append(row)
        if len(changed) == 500:
            Standing.objects.bulk_update(changed, ['added_on'])
            changed = []
    if changed:
        Standing.objects.bulk_update(changed, ['added_on'])


def fill_orders(apps, schema_editor):
    """The order that holds now, as of the day on which its newest row was computed; see standings/orders.py."""
    Standing = apps.get_model('leaderboard', 'Standing')
    RankingDay = apps.get_model('leaderboard', 'RankingDay')
    columns = ('model_id', 'origin', 'rank', 'rank_low', 'rank_high', 'score', 'interval_low', 'interval_high', 'approximate')
    for ranking in Standing.objects.order_by().values_list('ranking', flat=True).distinct():
        rows = Standing.objects.filter(ranking=ranking)
        if rows.filter(run__isnull=True, origin__in=('measured', 'imported')).exists():
            continue  # a private bank, whose orders are not kept
        newest = rows.aggregate(at=models.Max('computed_at'))['at']
        listed = rows.exclude(origin='demo').order_by('-score', 'model_id').values_list(*columns)
        lines = [[round(value, 4) if isinstance(value, float) else value for value in row] for row in listed]
        content = zlib.compress(json.dumps(lines, separators=(',', ':')).encode(), 9)
        RankingDay.objects.create(ranking=ranking, day=newest.date(), mark='', content=content)


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0020_answers_of_people'),
    ]

    operations = [
        migrations.CreateModel(
            name='RankingDay',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ranking', models.CharField(max_length=120)),
                ('day', models.DateField()),
                ('mark', models.CharField(blank=True, max_length=80)),
                ('n_moved', models.PositiveIntegerField(default=0)),
                ('content', models.BinaryField()),
            ],
            options={
                'ordering': ['ranking', '-day'],
                'constraints': [models.UniqueConstraint(fields=('ranking', 'day'), name='one_order_per_ranking_and_day')],
            },
        ),
        migrations.AddField(
            model_name='standing',
            name='added_on',
            field=models.DateField(default=leaderboard.models.today, help_text='day on which a score of this origin came to the board'),
        ),
        migrations.RunPython(fill_added, migrations.RunPython.noop, elidable=True),
        migrations.RunPython(fill_orders, migrations.RunPython.noop, elidable=True),
    ]
