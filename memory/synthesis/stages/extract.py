"""Extract: the model names what a chunk is about, a name a line, or says NONE.

Names that do not stand in the chunk are made up, and dropped. It also sorts the chunk into the
buckets that the user defines, if there are any.
"""

import re

from django.db import transaction

from memory.synthesis import events
from memory.synthesis.buckets import bucket_question, keep_buckets
from memory.synthesis.chunk_text import transcript, words_of
from memory.synthesis.models import Chunk, ChunkEntity
from memory.synthesis.names import canonical
from memory.synthesis.question import Question
from memory.synthesis.run import Run

MOST_NAMES = 8
LONGEST_NAME = 80  # characters
MOST_WORDS = 6
MAX_TOKENS = 96

INSTRUCTIONS = (
    "Name the things that the conversation below is about: people, projects, products, places, "
    "organisations, fields of work, standards. Write each name as it stands in the conversation, "
    "one on a line, and nothing else. If it is about none of these, write NONE."
)
# Whom every conversation is between, and what it is.
_NOBODY = frozenset(
    {"user", "assistant", "ai", "model", "system", "me", "you", "i", "we", "it", "this", "that"}
    | {"conversation", "chat", "message", "messages", "question", "answer", "none", "name", "names"}
)
_LAYOUT = re.compile(r"^\s*(?:[-*•]|\d{1,3}[.)])\s+")


def plan() -> str:
    return (
        events.count(Chunk.objects.filter(is_extracted=False).count(), "chunk")
        + " to take names from"
    )


def extract(run: Run) -> None:
    run.tell(events.stage("extract", plan()))
    ignored, buckets = run.pages.topics_to_ignore(), run.pages.buckets()
    for chunk in list(Chunk.objects.filter(is_extracted=False)):
        told, bucket = "", ""
        if not _is_ignored(chunk.label, ignored):
            told, bucket = _ask(run, chunk, buckets)
        names = [name for name in parse(told, words_of(chunk)) if not _is_ignored(name, ignored)]
        run.pause()
        with transaction.atomic():
            ChunkEntity.objects.bulk_create(ChunkEntity(chunk=chunk, surface=n) for n in names)
            keep_buckets(chunk, bucket, buckets)
            Chunk.objects.filter(pk=chunk.pk).update(is_extracted=True)


def _ask(run: Run, chunk: Chunk, buckets: dict[str, str]) -> tuple[str, str]:
    """Return what the model says of names and of buckets."""
    names = Question("extract", INSTRUCTIONS, transcript(chunk), MAX_TOKENS, "Entities")
    if not buckets:
        return run.ask(names), ""
    told, bucket = run.answers([names, bucket_question(chunk, buckets)])
    return told, bucket


def _is_ignored(text: str, topics: frozenset[str]) -> bool:
    words = f" {canonical(text)} "
    return any(f" {topic} " in words for topic in topics)


def parse(answer: str, said: str) -> list[str]:
    """Return the names that an answer holds and the chunk does too.

    said: what was said, in lower case, white space made one.
    """
    names: dict[str, str] = {}
    for line in answer.splitlines():
        name = " ".join(_LAYOUT.sub("", line).strip(" *\"'`.,:;").split())
        key = canonical(name)
        if not key or key in _NOBODY or key.isdecimal() or len(key) < 2:
            continue
        if len(name) > LONGEST_NAME or len(name.split()) > MOST_WORDS:
            continue
        if name.casefold() in said:
            names.setdefault(key, name)
    return list(names.values())[:MOST_NAMES]
