from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0017_figures_of_standings'),
    ]

    operations = [
        migrations.RemoveField(
            model_name='standing',
            name='strict_score',
        ),
    ]
