import django.db.models.deletion
import pgvector.django.vector
from django.db import migrations, models

IS_THERE = "SELECT 1 FROM pg_available_extensions WHERE name = 'vector'"
TABLE = """
CREATE TABLE memories_memoryvector (
    memory_id uuid PRIMARY KEY REFERENCES memories_memory ON DELETE CASCADE,
    model varchar(200) NOT NULL,
    vector vector NOT NULL
)
"""


def create(apps, schema_editor):
    """Without pgvector there is no search, and every memory stays active (S8, S79)."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(IS_THERE)
        if cursor.fetchone():
            cursor.execute("CREATE EXTENSION IF NOT EXISTS vector")
            cursor.execute(TABLE)


def drop(apps, schema_editor):
    schema_editor.execute("DROP TABLE IF EXISTS memories_memoryvector")


class Migration(migrations.Migration):
    dependencies = [("memories", "0001_initial")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(create, drop)],
            state_operations=[
                migrations.CreateModel(
                    name="MemoryVector",
                    fields=[
                        (
                            "memory",
                            models.OneToOneField(
                                db_constraint=False,
                                on_delete=django.db.models.deletion.DO_NOTHING,
                                primary_key=True,
                                related_name="embedded",
                                serialize=False,
                                to="memories.memory",
                            ),
                        ),
                        ("model", models.CharField(max_length=200)),
                        ("vector", pgvector.django.vector.VectorField()),
                    ],
                ),
            ],
        ),
    ]
