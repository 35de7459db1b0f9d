"""Patch: what a chunk says goes into its section, and all the rest stays as it is, byte for byte.

Where the two disagree the later one is right, and History tells what was held before. A section
that a person wrote is left alone: the chunk is noted on the talk page. After it all, the leads
of the articles that were touched are brought in line.
"""

from datetime import date

from memory.article.article import Article
from memory.article.edits import add_section, replace_lead, replace_section
from memory.synthesis import events
from memory.synthesis.changes import Overtaken, Page, read_page, write
from memory.synthesis.chunk_text import transcript
from memory.synthesis.citing import cite_all, cite_new, restored, without_marks
from memory.synthesis.drafts import draft
from memory.synthesis.gates import refuse_words
from memory.synthesis.history import add_history
from memory.synthesis.marks import Marks, SectionMark
from memory.synthesis.models import ArticleState, Chunk, ChunkSection, Outcome, Subject
from memory.synthesis.parts import LEAD, Part, parts_of
from memory.synthesis.question import SECTION, SENTENCES, Question, says_yes, yes_or_no
from memory.synthesis.reconcile import reconcile
from memory.synthesis.references import cite, dates_in
from memory.synthesis.run import Run

MOST_ATTEMPTS = 3
DISAGREES = (
    "Below are a section of an article and a conversation. Does the conversation say anything that "
    "cannot be true together with what the section says? Answer yes or no."
)
ADD = (
    "Below are a section of an article and a conversation. Write the section again with what the "
    "conversation adds to it. Keep every sentence that is still right, and every mark in square "
    "brackets. If the conversation adds nothing, write the section as it is."
)
LATEST = " Where the two disagree, the conversation is newer and right: say what holds now."
OLDER = " Where the two disagree, the conversation is older and the section is right."
NEW = (
    "Write two to four sentences about the subject below, for a section with this heading. Say "
    "only what the conversation says. Write of facts, not of who asked what."
)


def plan() -> str:
    return f"{events.count(len(_waiting()), 'chunk')} to write into sections"


def patch(run: Run) -> None:
    run.tell(events.stage("patch", plan()))
    for waiting in _waiting():
        for _ in range(2):  # once more, if somebody edits the article meanwhile
            try:
                _patch(run, waiting)
                break
            except Overtaken:
                run.log(f"{waiting.article}: somebody wrote the article at this moment")
    for state in ArticleState.objects.filter(needs_reconciling=True).order_by("article"):
        reconcile(run, state.article)


def _waiting() -> list[ChunkSection]:
    deleted = Subject.objects.filter(is_closed=True).values("article")
    open_ones = ChunkSection.objects.filter(
        outcome__in=(Outcome.WAITING, Outcome.REJECTED), attempts__lt=MOST_ATTEMPTS
    ).exclude(article__in=deleted)
    order = ("chunk__conversation__started_at", "chunk__conversation", "chunk__start", "id")
    return list(open_ones.select_related("chunk__conversation").order_by(*order))


def _patch(run: Run, waiting: ChunkSection) -> None:
    page = read_page(run, waiting.article)
    if page.article is None:
        run.log(f"{waiting.article}: there is no article that can be edited")
        return  # it may be there again by the next run
    part = parts_of(page.article).get(waiting.section)
    if part is None and page.article.section(waiting.section or "-") is None:
        _write_new(run, page, waiting)
    elif part is None or part.name not in page.owned:
        label = waiting.chunk.label
        run.pages.note(page.stem, f"{waiting.section or 'Lead'}: a chat told more — {label}")
        _mark(run, waiting, Outcome.NOTED)
    else:
        _write_into(run, page, part, waiting)


def _write_new(run: Run, page: Page, waiting: ChunkSection) -> None:
    assert page.article is not None
    chunk, heading = waiting.chunk, waiting.section
    material = (
        f"Subject: {page.article.title}\nHeading: {heading}\nConversation:\n{transcript(chunk)}"
    )
    text = draft(run, Question("patch", NEW, material, SENTENCES, "Editorial_Guidelines"))
    if text is None:
        _refused(run, waiting, "no draft could be taken")
        return
    article, label = cite(page.article, chunk)
    body = cite_all(text, [label])
    article = add_section(article, heading, body) if heading else replace_lead(article, body)
    _try(run, page, article, waiting, f"Add {heading or 'a lead'} to {page.article.title}")


def _write_into(run: Run, page: Page, part: Part, waiting: ChunkSection) -> None:
    assert page.article is not None
    chunk = waiting.chunk
    material = f"Section:\n{part.body}\n\nConversation:\n{transcript(chunk)}"
    disagrees = says_yes(run.ask(yes_or_no("patch", DISAGREES, material)))
    is_newer = _is_newer(chunk, page.article, part)
    how = "" if not disagrees else LATEST if is_newer else OLDER
    text = draft(
        run,
        Question("patch", ADD + how, material, SECTION),
        lambda text: refuse_words(part.body, text) is None,
    )
    if text is None:
        _refused(run, waiting, "no draft could be taken")
        return
    article, label = cite(page.article, chunk)
    text = restored(part.body, text)
    cited = cite_new(part.body, text, label)
    if cited is None:
        _mark(run, waiting, Outcome.KNOWN)
        return
    article = _replaced(article, part, cited)
    if disagrees and is_newer:
        before, now = without_marks(part.body), without_marks(text)
        article = add_history(run, article, before=before, now=now, chunk=chunk, label=label)
    _try(run, page, article, waiting, f"Update {part.name or 'the lead'} of {page.article.title}")


def _replaced(article: Article, part: Part, text: str) -> Article:
    if part.name == LEAD:
        return replace_lead(article, " ".join(text.split()))  # a lead is one paragraph
    return replace_section(article, part.name, text)


def _is_newer(chunk: Chunk, article: Article, part: Part) -> bool:
    """Whether a chunk is as new as all that the section cites."""
    known = dates_in(article, part.block)
    return not known or chunk.at.date() >= date.fromisoformat(max(known))


def _try(run: Run, page: Page, article: Article, waiting: ChunkSection, subject: str) -> None:
    mark = SectionMark(waiting.chunk_id, waiting.section, Outcome.WRITTEN)
    # A lead that was just written may still be behind a section that was written before.
    needs_reconciling = True if waiting.section != LEAD else None
    marks = Marks(sections=[mark], needs_reconciling=needs_reconciling)
    refused = write(run, page, article, subject, marks)
    if refused is not None:
        _refused(run, waiting, refused)


def _refused(run: Run, waiting: ChunkSection, reason: str) -> None:
    run.problems += 1
    run.log(f"{waiting.article}#{waiting.section}: {reason}")
    run.pause()
    ChunkSection.objects.filter(pk=waiting.pk).update(
        outcome=Outcome.REJECTED, reason=reason[:200], attempts=waiting.attempts + 1
    )


def _mark(run: Run, waiting: ChunkSection, outcome: Outcome) -> None:
    run.pause()
    ChunkSection.objects.filter(pk=waiting.pk).update(outcome=outcome, reason="")
