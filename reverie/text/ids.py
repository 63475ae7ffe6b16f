"""Public ids: UUID version 7 (RFC 9562)."""

import secrets
import threading
import time
import uuid

_lock = threading.Lock()
_last_ms = 0
_counter = 0


def new_id() -> uuid.UUID:
    """A UUIDv7. Within one process every id is greater than the one before it."""
    ms, counter = _tick()
    value = ms << 80 | 7 << 76 | counter << 64 | 2 << 62 | secrets.randbits(62)
    return uuid.UUID(int=value)


def _tick() -> tuple[int, int]:
    """The next (millisecond, 12-bit counter), never smaller than the last one."""
    global _last_ms, _counter
    with _lock:
        now = time.time_ns() // 1_000_000
        if now > _last_ms:
            # It starts in its lower half, so that it seldom overflows within a millisecond.
            _last_ms, _counter = now, secrets.randbits(11)
        elif _counter < 0xFFF:
            _counter += 1
        else:
            _last_ms, _counter = _last_ms + 1, secrets.randbits(11)
        return _last_ms, _counter
