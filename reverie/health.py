"""Is it well? `/healthz` for the process, `/readyz` for what it stands on."""

from django.db import Error as DatabaseError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django_q.models import OrmQ


def healthz(request: HttpRequest) -> JsonResponse:
    """200 while this process answers."""
    return JsonResponse({"ok": True})


def readyz(request: HttpRequest) -> JsonResponse:
    """200 when the database, the queue and the migrations are as they must be, else 503."""
    parts = {"database": _database(), "queue": False, "migrations": False}
    if parts["database"]:
        parts |= {"queue": _queue(), "migrations": _migrated()}
    well = all(parts.values())
    return JsonResponse({"ok": well, **parts}, status=200 if well else 503)


def _database() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True


def _queue() -> bool:
    try:
        OrmQ.objects.exists()
    except DatabaseError:
        return False
    return True


def _migrated() -> bool:
    executor = MigrationExecutor(connection)
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())
