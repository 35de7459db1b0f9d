"""Keeps the rows of `ChatSession` in step with the session files. Blocks: Django's thread."""

import logging
from datetime import UTC, datetime

from django.conf import settings
from django.db import DataError, transaction

from sessions.errors import NotRead, SessionNotFound
from sessions.frames.values import SessionItem
from sessions.models import ChatSession
from sessions.store.search import fingerprint_of
from sessions.store.session_file import SessionFile
from sessions.store.store import SessionStore
from sessions.store.summary import summarize

logger = logging.getLogger(__name__)

BATCH = 200  # rows written at once


def refresh(store: SessionStore | None = None) -> None:
    """Read what has changed since the last time, and forget what has gone."""
    store = store or settings.SESSION_STORE
    known = dict(ChatSession.objects.values_list("name", "modified_ns"))
    sizes = dict(ChatSession.objects.values_list("name", "size"))
    changed: list[ChatSession] = []
    present: set[str] = set()
    for file in store.files():
        fingerprint = fingerprint_of(file.path)
        if fingerprint is None:
            continue
        present.add(file.name)
        if (known.get(file.name), sizes.get(file.name)) != fingerprint:
            row = _row(file, *fingerprint)
            if row is not None:
                changed.append(row)
    for first in range(0, len(changed), BATCH):
        _write(changed[first : first + BATCH])
    gone = known.keys() - present
    if gone:
        ChatSession.objects.filter(name__in=gone).delete()


def session_items() -> list[SessionItem]:
    """Return the list of chats, newest first."""
    refresh()
    return [
        SessionItem(
            path=row.name,
            id=row.session_id,
            title=row.title,
            modified=row.modified_ns / 1e6,
            message_count=row.message_count,
            forked=row.forked,
            pinned=row.pinned,
        )
        for row in ChatSession.objects.all()
    ]


def _write(rows: list[ChatSession]) -> None:
    """Write rows at once; where the database refuses them, one by one, without those."""
    fields = [f.name for f in ChatSession._meta.fields if not f.primary_key]
    try:
        with transaction.atomic():
            ChatSession.objects.bulk_create(
                rows, update_conflicts=True, unique_fields=["name"], update_fields=fields
            )
    except (ValueError, OverflowError, DataError):  # UnicodeEncodeError is a ValueError
        if len(rows) == 1:
            logger.exception("the chat %r cannot be listed", rows[0].name)
            return
        for row in rows:
            _write([row])


def _row(file: SessionFile, modified_ns: int, size: int) -> ChatSession | None:
    try:
        summary = summarize(file.read())
        modified = datetime.fromtimestamp(modified_ns / 1e9, UTC)
    except SessionNotFound:
        return None
    except NotRead as error:
        logger.warning("the chat %r is not listed anew: %s", file.name, error)
        return None
    except Exception:  # one file of a stranger must not hide all others
        logger.exception("the chat %r cannot be read", file.name)
        return None
    return ChatSession(
        name=file.name,
        session_id=summary.session_id[:64],
        title=summary.title,
        message_count=summary.message_count,
        forked=summary.forked,
        pinned=summary.pinned,
        modified_ns=modified_ns,
        modified=modified,
        size=size,
    )
