"""Section-route: which sections of an article a chunk belongs to, the lead among them.

The model says yes or no for each section by itself. Where it says no to all, it may name a new one.
"""

from collections.abc import Iterator

from django.db import transaction

from memory.article.article import Article
from memory.synthesis import events
from memory.synthesis.chunk_text import transcript
from memory.synthesis.clip import clip
from memory.synthesis.headings import ask_heading
from memory.synthesis.models import (
    Chunk,
    ChunkSection,
    ChunkSubject,
    Outcome,
    RoutedChunk,
    Subject,
)
from memory.synthesis.parts import LEAD, parts_of
from memory.synthesis.question import says_yes, yes_or_no
from memory.synthesis.run import Run

STAGE = "section-route"
SECTION_CHARACTERS, CHUNK_CHARACTERS = 600, 1200
BELONGS = (
    "Below are a section of an article and a conversation. Does the conversation say something "
    "about just what this section is about? Answer yes or no."
)
IS_NEW = (
    "Below are the headings of an article and a conversation. Does the conversation say something "
    "about the subject that is worth a section of its own? Answer yes or no."
)


def plan() -> str:
    return f"{events.count(sum(1 for _ in _waiting()), 'chunk')} to find sections for"


def route_sections(run: Run) -> None:
    _follow_people(run)
    run.tell(events.stage(STAGE, plan()))
    for chunk, subject in list(_waiting()):
        article = run.pages.read(subject.article)
        if article is None:
            continue
        sections = _belongs_to(run, chunk, article)
        if not sections:
            new = _new_section(run, chunk, article)
            sections = [new] if new else []
        run.pause()
        _keep(chunk, subject.article, sections)


def _waiting() -> Iterator[tuple[Chunk, Subject]]:
    """Yield chunks and the articles that they were not routed within yet, oldest first."""
    done = set(RoutedChunk.objects.values_list("chunk_id", "article"))
    links = (
        ChunkSubject.objects.filter(subject__is_closed=False)
        .exclude(subject__article="")
        .select_related("chunk__conversation", "subject")
        .order_by("chunk__conversation__started_at", "chunk__conversation", "chunk__start", "id")
    )
    for link in links:
        if (link.chunk_id, link.subject.article) not in done:
            yield link.chunk, link.subject


def _follow_people(run: Run) -> None:
    """Close subjects whose articles a person deleted, and reopen those that are there again.

    What was said meanwhile waits, and is written once the article is back.
    """
    there = set(run.pages.stems())
    for subject in Subject.objects.exclude(article=""):
        if subject.is_closed == (subject.article not in there):
            continue
        run.pause()
        if subject.is_closed:
            _set_closed(subject, False)
            run.log(f"{subject.title}: the article is back")
        elif run.pages.is_gone(subject.article):  # and not only while an editor saves it
            _set_closed(subject, True)
            run.log(f"{subject.title}: the article was deleted, and stays so")


@transaction.atomic
def _set_closed(subject: Subject, is_closed: bool) -> None:
    Subject.objects.filter(pk=subject.pk).update(is_closed=is_closed)
    if not is_closed:
        refused = ChunkSection.objects.filter(article=subject.article, outcome=Outcome.REJECTED)
        refused.update(attempts=0)


def _belongs_to(run: Run, chunk: Chunk, article: Article) -> list[str]:
    said = transcript(chunk, CHUNK_CHARACTERS)
    names = [n for n, part in parts_of(article).items() if n == LEAD or part.is_section]
    bodies = parts_of(article)
    questions = [
        yes_or_no(
            STAGE,
            BELONGS,
            f"Subject: {article.title}\nSection: {name or 'the lead'}\n"
            f"{clip(bodies[name].body, SECTION_CHARACTERS)}\n\nConversation:\n{said}",
        )
        for name in names
    ]
    answers = run.answers(questions) if questions else []
    return [name for name, answer in zip(names, answers, strict=True) if says_yes(answer)]


def _new_section(run: Run, chunk: Chunk, article: Article) -> str | None:
    taken = [section.title or "" for section in article.sections]
    headings = "\n".join(f"- {heading}" for heading in taken)
    material = (
        f"Subject: {article.title}\nHeadings:\n{headings}\n\n"
        f"Conversation:\n{transcript(chunk, CHUNK_CHARACTERS)}"
    )
    if not says_yes(run.ask(yes_or_no(STAGE, IS_NEW, material))):
        return None
    return ask_heading(run, STAGE, article.title, [chunk.label], taken)


@transaction.atomic
def _keep(chunk: Chunk, article: str, sections: list[str]) -> None:
    for section in sections:
        ChunkSection.objects.get_or_create(
            chunk=chunk,
            article=article,
            section=section,
            defaults={"outcome": Outcome.WAITING},
        )
    RoutedChunk.objects.get_or_create(chunk=chunk, article=article)
