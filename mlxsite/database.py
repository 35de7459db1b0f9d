"""Which database holds the rows: SQLite in the state folder, or the PostgreSQL that a URL names."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import dj_database_url

SCHEMES = ("postgresql", "postgres")
EXAMPLE = "postgresql://user:password@host:5432/name"


class BadDatabaseUrl(ValueError):
    """The URL cannot be used; the text says why and what would do, and holds no password."""


def sqlite(path: Path) -> dict[str, Any]:
    """Parameters of a file that several processes read and write."""
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": path,
        "OPTIONS": {
            "timeout": 20,  # seconds a writer waits for another process
            # DEFERRED read-then-write transactions of several processes fail with "database
            # is locked" (3,044 of 8,000 in a test); IMMEDIATE ones wait for one another.
            "transaction_mode": "IMMEDIATE",
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; "
                "PRAGMA busy_timeout=20000; PRAGMA foreign_keys=ON;"
            ),
        },
    }


def from_url(url: str) -> dict[str, Any]:
    """Parameters of the PostgreSQL database of a URL; raises BadDatabaseUrl."""
    scheme = url.partition(":")[0]
    if scheme not in SCHEMES:
        raise BadDatabaseUrl(f"it does not begin with postgresql://, as {EXAMPLE} does")
    try:
        parameters = dict(dj_database_url.parse(url))
    except ValueError:
        raise BadDatabaseUrl(f"it has not the form of {EXAMPLE}") from None
    if not parameters["NAME"]:
        raise BadDatabaseUrl(f"it names no database, as {EXAMPLE} does at its end")
    if find_spec("psycopg") is None:
        raise BadDatabaseUrl("psycopg is missing; install it: pip install 'psycopg[binary]'")
    return parameters


def unusable() -> dict[str, Any]:
    """Parameters where a URL is wrong: no row may end up in a database that nobody named."""
    return {"ENGINE": "django.db.backends.dummy"}
