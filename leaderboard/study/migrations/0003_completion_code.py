from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('study', '0002_operators'),
    ]

    operations = [
        migrations.AlterField(
            model_name='participation',
            name='completion_code',
            field=models.CharField(blank=True, max_length=40),
        ),
    ]
