"""Every write to an article: form, gate, journal, file, commit, ledger, in this order.

A run can end between any two of these. The journal's row then tells the next run what was under
way: by the file's hash it sees whether the write is on disk, and if so lets the ledger say it.
A person may edit a file at any time: what is written replaces just what was read, or nothing.
"""

from dataclasses import dataclass

from django.db import transaction

from memory.article.article import Article
from memory.errors import InvalidStem
from memory.synthesis.gates import refuse, refuse_lost_lines
from memory.synthesis.marks import Marks
from memory.synthesis.models import ArticleState, PendingChange
from memory.synthesis.normalise import normalise
from memory.synthesis.pages import hash_of
from memory.synthesis.parts import owned_parts, parts_of, recorded_after
from memory.synthesis.run import Run
from memory.synthesis.tidiness import tidy_hash


@dataclass(frozen=True, slots=True)
class Page:
    """An article as it was read. article: None if there is no file. owned: parts that are ours."""

    stem: str
    article: Article | None
    owned: frozenset[str]
    state: ArticleState | None

    @property
    def is_ours(self) -> bool:
        return bool(self.owned)


class Overtaken(Exception):
    """The file was edited after it was read; nothing was written."""


def read_page(run: Run, stem: str) -> Page:
    article = run.pages.read(stem)
    state = ArticleState.objects.filter(pk=stem).first()
    owned = owned_parts(article, state.sections) if article and state else set()
    return Page(stem, article, frozenset(owned), state)


def write(run: Run, page: Page, after: Article, subject: str, marks: Marks) -> str | None:
    """Write an article and let the ledger say so; returns why not, if it may not be written.

    Without a difference only the ledger is written. Raises Overtaken.
    """
    new = set(parts_of(after)) - set(parts_of(page.article) if page.article else ())
    after = normalise(after, set(page.owned) | new, run.pages.resolver())
    reason = refuse(page.article, after) or refuse_lost_lines(page.article, after, page.owned)
    if reason is not None:
        return reason
    try:
        put(run, page, after, subject, marks)
    except InvalidStem as error:
        return str(error)
    return None


def put(run: Run, page: Page, after: Article, subject: str, marks: Marks) -> None:
    """Write what needs no gate, as code made all of it. Raises Overtaken."""
    before = page.article
    recorded = recorded_after(page.article, after, set(page.owned))
    run.pause()
    if before is not None and before.text == after.text:
        with transaction.atomic():
            _settle(page.stem, after, recorded, marks)
        return
    keep_edits(run, page)
    pending = PendingChange.objects.create(
        article=page.stem,
        before="" if before is None else hash_of(before),
        after=hash_of(after),
        subject=subject[:200],
        marks={"marks": marks.to_json(), "recorded": recorded},
    )
    run.pause()
    try:
        written = run.pages.write(after, before)
    except InvalidStem:
        pending.delete()
        raise
    if not written:
        pending.delete()
        raise Overtaken(page.stem)
    run.pause()
    _finish(run, pending, after)


def keep_edits(run: Run, page: Page) -> None:
    """Commit what a person changed by itself, so that history tells whose words are whose."""
    if page.article is None:
        return
    if page.state is None or page.state.content != hash_of(page.article):
        _commit(run, page.stem, f"Keep edits of {page.article.title}")


def recover(run: Run) -> None:
    """Settle what an earlier run left under way."""
    for pending in PendingChange.objects.all():
        article = run.pages.read(pending.article)
        if article is not None and hash_of(article) == pending.after:
            _finish(run, pending, article)
        else:
            # Not on disk, or edited since: its step is done again on what is there.
            pending.delete()


def _finish(run: Run, pending: PendingChange, after: Article) -> None:
    _commit(run, pending.article, pending.subject)
    run.pause()
    with transaction.atomic():
        marks = Marks.from_json(pending.marks["marks"])
        _settle(pending.article, after, pending.marks["recorded"], marks)
        pending.delete()
    run.changes += 1
    run.log(pending.subject)


def _commit(run: Run, stem: str, subject: str) -> None:
    problem = run.pages.commit(stem, subject)
    if problem is not None:
        run.log(f"{stem} is not committed yet: {problem}")


def _settle(stem: str, after: Article, recorded: dict[str, str], marks: Marks) -> None:
    marks.write(stem)
    state, _ = ArticleState.objects.get_or_create(pk=stem)
    state.content, state.sections = hash_of(after), recorded
    if marks.needs_reconciling is not None:
        state.needs_reconciling = marks.needs_reconciling
    parts = parts_of(after)
    state.wikified = {name: mark for name, mark in state.wikified.items() if name in parts} | {
        name: tidy_hash(after, name) for name in marks.wikified if name in parts
    }
    state.save()
