import django.db.models.deletion
import django.utils.timezone
import reverie.accounts.models
import reverie.text.ids
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0003_one_person_per_name'),
    ]

    operations = [
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.UUIDField(default=reverie.text.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('digest', models.CharField(editable=False, max_length=64, unique=True)),
                ('note', models.CharField(blank=True, max_length=200, verbose_name='for whom')),
                ('email', models.EmailField(blank=True, max_length=254, verbose_name='their email address')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name='made')),
                ('expires_at', models.DateTimeField(default=reverie.accounts.models.invitation_end, editable=False, verbose_name='works until')),
                ('revoked_at', models.DateTimeField(editable=False, null=True, verbose_name='withdrawn')),
                ('used_at', models.DateTimeField(editable=False, null=True, verbose_name='used')),
                ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to=settings.AUTH_USER_MODEL, verbose_name='invited by')),
                ('used_by', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='used by')),
            ],
            options={
                'verbose_name': 'invitation',
                'verbose_name_plural': 'invitations',
                'ordering': ['-created_at'],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('used_at', None), ('revoked_at', None), _connector='OR'), name='invitation_used_or_withdrawn'),
                    models.CheckConstraint(condition=models.Q(('used_by', None), ('used_at__isnull', False), _connector='OR'), name='invitation_used_by_when_used'),
                ],
            },
        ),
    ]
