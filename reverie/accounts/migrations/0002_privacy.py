from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='privacy',
            field=models.CharField(choices=[('open', 'Open'), ('messages', 'Messages only'), ('invisible', 'Invisible')], default='open', max_length=16, verbose_name='privacy'),
        ),
        migrations.AddConstraint(
            model_name='user',
            constraint=models.CheckConstraint(condition=models.Q(('privacy__in', ['open', 'messages', 'invisible'])), name='privacy_is_known'),
        ),
    ]
