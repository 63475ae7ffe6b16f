"""What memories ask of the worker: a doorbell, rung in the transaction that makes it necessary."""

from django_q.tasks import async_task


def embed() -> None:
    """Ask for vectors of what has none."""
    async_task("memories.tasks.embed")
