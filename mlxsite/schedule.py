"""Reads when synthesis runs by itself, and how much it asks at once."""

from jobs.daily import Daily, read_time

LARGEST_BATCH = 64
_SYNTHESIS = "/v1/memory/synthesize"


def daily(memory_at: str) -> tuple[Daily, ...]:
    """Return what happens once a day; nothing where the time is `off`, or is none."""
    at = read_time(memory_at) if is_time(memory_at) else None
    return () if at is None else (Daily("memory", at, _SYNTHESIS),)


def is_time(text: str) -> bool:
    try:
        read_time(text)
    except ValueError:
        return False
    return True


def read_batch(text: str) -> int | None:
    """Return a number of questions; None for what is none."""
    is_number = text.isdecimal() and len(text) <= 3 and 1 <= int(text) <= LARGEST_BATCH
    return int(text) if is_number else None
