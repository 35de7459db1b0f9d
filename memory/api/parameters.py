"""Reads the parameters of the memory's routes."""

import re

from django.http import HttpRequest

from hub.api.answers import BadRequest

DEFAULT_LIMIT, LARGEST_LIMIT = 50, 200
LONGEST_QUERY = 1000  # characters
_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)
_REVISION = re.compile(r"[0-9a-f]{4,40}")


def read_limit(request: HttpRequest) -> int:
    """Return how many rows are wanted, 200 at most; 50 where that is no number above 0."""
    text = request.GET.get("limit", "")
    limit = int(text) if _NUMBER.fullmatch(text) else 0
    return min(limit or DEFAULT_LIMIT, LARGEST_LIMIT)


def read_name(request: HttpRequest) -> str:
    """Raises BadRequest."""
    return _required(request, "name")


def read_revision(request: HttpRequest) -> str:
    """Return the hash of a commit; nothing else gets as far as git. Raises BadRequest."""
    revision = _required(request, "rev")
    if not _REVISION.fullmatch(revision):
        raise BadRequest("rev must be a commit hash (4-40 hex chars)")
    return revision


def read_query(request: HttpRequest) -> str:
    """Raises BadRequest."""
    query = _required(request, "q").strip()
    if len(query) > LONGEST_QUERY:
        raise BadRequest(f"q has {len(query):,} characters, and {LONGEST_QUERY:,} are allowed")
    return query


def _required(request: HttpRequest, name: str) -> str:
    text = request.GET.get(name, "")
    if not text.strip():
        raise BadRequest(f"{name} is required")
    return text
