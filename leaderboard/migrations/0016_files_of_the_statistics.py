from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0015_no_board_kept_ready'),
    ]

    operations = [
        migrations.CreateModel(
            name='StatisticsFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ranking', models.CharField(max_length=120)),
                ('name', models.CharField(max_length=20)),
                ('content', models.BinaryField()),
                ('inputs_hash', models.CharField(max_length=64)),
            ],
        ),
        migrations.AddConstraint(
            model_name='statisticsfile',
            constraint=models.UniqueConstraint(fields=('ranking', 'name'), name='one_statistics_file_per_ranking_and_name'),
        ),
    ]
