"""Route: decides which subject each name of a chunk means.

Code decides what it can: an equal name, a name that is known to be another one's, or one whose
words are all in one other's. Of names that only look alike the model is asked. What is left is
a new subject, captured until a second chunk is about it.
"""

from django.db import transaction

from memory.synthesis import events
from memory.synthesis.models import (
    Chunk,
    ChunkEntity,
    ChunkSubject,
    Subject,
    SubjectRedirect,
)
from memory.synthesis.names import canonical, contains, similarity, title_of
from memory.synthesis.question import says_yes, yes_or_no
from memory.synthesis.run import Run

ALIKE = 0.35
SHORTLIST = 3
INSTRUCTIONS = (
    "Below are two names, and what was being talked about when the first one was said. Do both "
    "names mean the same thing? Answer yes or no."
)


def plan() -> str:
    waiting = ChunkEntity.objects.filter(is_routed=False).count()
    return f"{events.count(waiting, 'name')} to find a subject for"


def route(run: Run) -> None:
    run.tell(events.stage("route", plan()))
    aliases = Aliases(run)
    order = ("chunk__conversation__started_at", "chunk__conversation", "chunk__start", "id")
    waiting = ChunkEntity.objects.filter(is_routed=False).select_related("chunk").order_by(*order)
    for entity in list(waiting):
        subject, is_new_name = aliases.find(entity.surface), False
        if subject is None:
            subject = aliases.ask_for(entity.surface, entity.chunk)
            is_new_name = subject is not None
        subject = subject or aliases.make(entity.surface)
        run.pause()
        _keep(entity, subject, is_new_name)
        aliases.add(entity.surface, subject)


class Aliases:
    """Canonical names of all subjects: of articles, of their aliases, of what is captured."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._by_name: dict[str, Subject] = {}
        subjects = {subject.key: subject for subject in Subject.objects.all()}
        by_article = {subject.article: subject for subject in subjects.values() if subject.article}
        for page in run.pages.names():
            key = canonical(page.title)
            if not key:
                continue
            subject = by_article.get(page.stem) or subjects.get(key)
            subject = subject or Subject(key=key, title=page.title[:120], article=page.stem)
            if not subject.article:
                subject.article = page.stem  # a person wrote about what was captured
                subject.save()
            for name in (page.title, *page.aliases):
                self._by_name.setdefault(canonical(name), subject)
        for key, subject in subjects.items():
            self._by_name.setdefault(key, subject)
        for redirect in SubjectRedirect.objects.select_related("subject"):
            self._by_name.setdefault(redirect.key, redirect.subject)

    def find(self, surface: str) -> Subject | None:
        key = canonical(surface)
        if key in self._by_name:
            return self._by_name[key]
        found = {b.key: b for name, b in self._by_name.items() if contains(key, name)}
        return next(iter(found.values())) if len(found) == 1 else None

    def ask_for(self, surface: str, chunk: Chunk) -> Subject | None:
        """Ask whether a name means one of the subjects whose names look like it."""
        key = canonical(surface)
        ranked = sorted(((similarity(key, name), name) for name in self._by_name), reverse=True)
        asked: set[str] = set()
        for alike, name in ranked[: 2 * SHORTLIST]:
            subject = self._by_name[name]
            if alike < ALIKE or subject.key in asked or len(asked) == SHORTLIST:
                continue
            asked.add(subject.key)
            material = (
                f"First name: {surface}\nSecond name: {subject.title}\nTalked about: {chunk.label}"
            )
            if says_yes(self._run.ask(yes_or_no("route", INSTRUCTIONS, material))):
                return subject
        return None

    def make(self, surface: str) -> Subject:
        return Subject(key=canonical(surface), title=title_of(surface)[:120])

    def add(self, surface: str, subject: Subject) -> None:
        self._by_name.setdefault(canonical(surface), subject)


@transaction.atomic
def _keep(entity: ChunkEntity, subject: Subject, is_new_name: bool) -> None:
    subject.save()
    ChunkSubject.objects.get_or_create(chunk=entity.chunk, subject=subject)
    if is_new_name:
        SubjectRedirect.objects.get_or_create(
            key=canonical(entity.surface), defaults={"subject": subject}
        )
    ChunkEntity.objects.filter(pk=entity.pk).update(is_routed=True)
