"""The table of Django's database cache, which counts wrong passwords for all processes together."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0004_invitation'),
    ]

    operations = [
        migrations.RunSQL(
            [
                'CREATE TABLE "reverie_cache" ("cache_key" varchar(255) NOT NULL PRIMARY KEY,'
                ' "value" text NOT NULL, "expires" timestamp with time zone NOT NULL)',
                'CREATE INDEX "reverie_cache_expires" ON "reverie_cache" ("expires")',
            ],
            ['DROP TABLE "reverie_cache"'],
        ),
    ]
