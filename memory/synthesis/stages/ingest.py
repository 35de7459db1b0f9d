"""Ingest: what sources tell goes into the ledger. Code alone.

A conversation is read when its watermark has changed, and what was read before stays as far as
the two agree. Conversations that are gone from their source are forgotten, their texts as well.
"""

import hashlib
from collections.abc import Iterable, Sequence

from django.db import transaction

from memory.synthesis import events
from memory.synthesis.conversations import Said, Source
from memory.synthesis.models import Conversation, Message
from memory.synthesis.run import Run


def plan(sources: Iterable[Source]) -> str:
    changed = sum(len(_changed(source)) for source in sources)
    return f"{events.count(changed, 'conversation')} to read"


def ingest(run: Run, sources: Iterable[Source]) -> None:
    run.tell(events.stage("ingest", "Reading conversations"))
    read = 0
    for source in sources:
        gone = _gone(source)
        if gone:
            Conversation.objects.filter(source=source.name, name__in=gone).delete()
            told = events.count(len(gone), "conversation")
            run.log(f"forgotten, as gone from {source.name}: {told}")
        found = [(name, mark, source.read(name)) for name, mark in _changed(source).items()]
        # A fork may only count as a copy of what is older.
        for name, watermark, said in sorted(found, key=lambda each: _age(each[2])):
            if said:
                run.pause()
                _keep(source.name, name, watermark, said)
                read += 1
    run.log(f"read: {events.count(read, 'conversation')}")


def _changed(source: Source) -> dict[str, str]:
    known = dict(Conversation.objects.filter(source=source.name).values_list("name", "watermark"))
    marks = source.watermarks()
    return {name: marks[name] for name in sorted(marks) if known.get(name) != marks[name]}


def _gone(source: Source) -> set[str]:
    known = Conversation.objects.filter(source=source.name).values_list("name", flat=True)
    return set(known) - set(source.watermarks())


def _age(said: Sequence[Said]) -> float:
    return said[0].at.timestamp() if said else 0.0


@transaction.atomic
def _keep(source: str, name: str, watermark: str, said: Sequence[Said]) -> None:
    conversation, _ = Conversation.objects.update_or_create(
        id=hashlib.sha256(f"{source}/{name}".encode()).hexdigest()[:16],
        defaults={
            "source": source,
            "name": name,
            "watermark": watermark,
            "started_at": said[0].at,
        },
    )
    kept = list(conversation.messages.values_list("key", "text"))
    same = 0
    for (key, text), new in zip(kept, said, strict=False):
        if (key, text) != (new.key, new.text):
            break
        same += 1
    # Where the user took another branch, what was made of the old one is made anew.
    conversation.messages.filter(position__gte=same).delete()
    conversation.chunks.filter(end__gte=same).delete()
    fresh = said[same:]
    copies = set(
        Message.objects.filter(key__in=[each.key for each in fresh], is_copy=False)
        .exclude(conversation=conversation)
        .values_list("key", "text")
    )
    Message.objects.bulk_create(
        Message(
            conversation=conversation,
            position=position,
            key=each.key,
            role=each.role,
            text=each.text,
            at=each.at,
            is_copy=(each.key, each.text) in copies,
        )
        for position, each in enumerate(fresh, start=same)
    )
