"""Keeps the rows of `ChatSession` in step with the session files. Blocks: Django's thread."""

from datetime import UTC, datetime

from django.conf import settings

from sessions.errors import SessionNotFound
from sessions.frames.values import SessionItem
from sessions.models import ChatSession
from sessions.store.search import fingerprint_of
from sessions.store.session_file import SessionFile
from sessions.store.store import SessionStore
from sessions.store.summary import summarize

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
    fields = [f.name for f in ChatSession._meta.fields if not f.primary_key]
    ChatSession.objects.bulk_create(
        changed,
        batch_size=BATCH,
        update_conflicts=True,
        unique_fields=["name"],
        update_fields=fields,
    )
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


def _row(file: SessionFile, modified_ns: int, size: int) -> ChatSession | None:
    try:
        summary = summarize(file.read())
    except SessionNotFound:
        return None
    return ChatSession(
        name=file.name,
        session_id=summary.session_id[:64],
        title=summary.title,
        message_count=summary.message_count,
        forked=summary.forked,
        pinned=summary.pinned,
        modified_ns=modified_ns,
        modified=datetime.fromtimestamp(modified_ns / 1e9, UTC),
        size=size,
    )
