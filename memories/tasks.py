"""What the worker does for memories. Safe to run again."""

from memories import embedding, queue
from reverie.providers.errors import ProviderError


def embed() -> None:
    """Take one step, which asks for the next while there is one. The sweep rings again later."""
    try:
        more = embedding.take_step()
    except ProviderError:
        return  # away or wrong: what is due stays due
    if more:
        queue.embed()
