"""Create: a subject that a second chunk is about gets an article.

Its chunks are grouped, the model finds each group a heading and writes a section from the oldest
chunk of it; lead, infobox and categories are made of the sections. Further chunks of a group wait
for the patch stage, which knows what to do where they disagree.
"""

from collections.abc import Sequence

from django.db.models import Count, QuerySet

from memory.article.article import Article
from memory.article.edits import add_section
from memory.article.wikilinks import stem_of
from memory.synthesis import captured, events
from memory.synthesis.categories import ask_categories
from memory.synthesis.changes import Overtaken, read_page, write
from memory.synthesis.chunk_text import transcript
from memory.synthesis.citing import cite_all, first_sentence
from memory.synthesis.clip import clip
from memory.synthesis.clusters import cluster, tokens
from memory.synthesis.drafts import draft
from memory.synthesis.headings import ask_heading, heading_of_label
from memory.synthesis.infoboxes import ask_infobox
from memory.synthesis.marks import Marks, SectionMark
from memory.synthesis.models import Chunk, Outcome, Subject
from memory.synthesis.names import free_title
from memory.synthesis.parts import LEAD
from memory.synthesis.question import SENTENCES, Question
from memory.synthesis.references import cite
from memory.synthesis.run import Run

ENOUGH = 2  # chunks
MOST_NEW = 20  # articles of one pass
MOST_CHUNKS = 40  # of one article at its beginning; later ones come by the patch stage

SAY_MORE = (
    "Write two to four sentences about the subject below, for the section with this heading. Say "
    "only what the conversation says. Write of facts, not of who asked what."
)
SAY_WHAT = (
    "Write one or two sentences that say what the subject below is. Use only what these sentences "
    "about it say."
)


def plan() -> str:
    return f"{events.count(min(_ready().count(), MOST_NEW), 'article')} to write"


def create(run: Run) -> None:
    run.tell(events.stage("create", plan()))
    made = 0
    for subject in sorted(_ready(), key=_age):
        if made == MOST_NEW:
            run.log("enough for one pass; the next one goes on")
            break
        try:
            made += _create(run, subject)
        except Overtaken:
            run.log(f"{subject.title}: somebody wrote the article at this moment")
    captured.keep(run)


def _ready() -> QuerySet[Subject]:
    """Subjects without an article that enough chunks are about."""
    waiting = Subject.objects.filter(article="", is_closed=False)
    return waiting.annotate(count=Count("chunks")).filter(count__gte=ENOUGH)


def _chunks(subject: Subject) -> list[Chunk]:
    return list(subject.chunks.select_related("conversation"))


def _age(subject: Subject) -> tuple[float, str]:
    return _chunks(subject)[0].at.timestamp(), subject.key


def _create(run: Run, subject: Subject) -> bool:
    title = free_title(subject.title, run.pages.stems())
    chunks = _chunks(subject)[:MOST_CHUNKS]
    sections, marks = _sections(run, title, chunks)
    if not sections:
        run.problems += 1
        run.log(f"{title}: no draft could be taken; the next run tries again")
        return False
    article = _assemble(run, title, sections)
    page = read_page(run, article.stem)
    routed = [mark.chunk for mark in marks]
    refused = write(
        run,
        page,
        article,
        f"Create {title}",
        Marks(sections=marks, about=subject.key, routed=routed, wikified=[LEAD]),
    )
    if refused is not None:
        run.problems += 1
        run.log(f"{title}: {refused}")
    return refused is None


Section = tuple[str, str, Chunk]
"""Heading, text, and the chunk that it is written from."""


def _sections(
    run: Run, title: str, chunks: Sequence[Chunk]
) -> tuple[list[Section], list[SectionMark]]:
    # Words of the subject's name are in all of them.
    bags = [tokens(f"{c.label} {transcript(c)}") - tokens(title) for c in chunks]
    sections: list[Section] = []
    marks: list[SectionMark] = []
    taken: list[str] = []
    for group in cluster(bags):
        members = [chunks[index] for index in group]
        heading = ask_heading(run, "create", title, [c.label for c in members], taken)
        heading = heading or heading_of_label(members[0].label, taken)
        taken.append(heading)
        text = _draft(run, title, heading, members[0])
        if text is not None:
            sections.append((heading, text, members[0]))
            marks.append(SectionMark(members[0].id, heading, Outcome.WRITTEN))
        # What no draft could be taken of is not lost: the patch stage tries again.
        waiting = members if text is None else members[1:]
        marks += [SectionMark(c.id, heading, Outcome.WAITING) for c in waiting]
    return sections, marks


def _draft(run: Run, title: str, heading: str, chunk: Chunk) -> str | None:
    material = f"Subject: {title}\nHeading: {heading}\nConversation:\n{transcript(chunk)}"
    return draft(run, Question("create", SAY_MORE, material, SENTENCES, "Editorial_Guidelines"))


def _assemble(run: Run, title: str, sections: Sequence[Section]) -> Article:
    said = " ".join(clip(first_sentence(text), 200) for _, text, _ in sections)
    question = Question(
        "create", SAY_WHAT, f"Subject: {title}\nSentences: {said}", SENTENCES // 2, "Summary_Style"
    )
    lead = draft(run, question) or first_sentence(sections[0][1])
    article = Article(stem_of(title), f"# {title}\n\n{' '.join(lead.split())}\n")
    article = ask_infobox(run, "create", article, said)
    article = ask_categories(run, "create", article, said)
    for heading, text, chunk in sections:
        article, label = cite(article, chunk)
        article = add_section(article, heading, cite_all(text, [label]))
    return article
