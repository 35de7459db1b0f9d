"""Wikify: the model tightens sections, fills in infobox and categories, and proposes splits.

A part that reads as it did when it was last looked at is passed over. Proposals go to the talk
page, for a person to decide.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from memory.article.article import Article
from memory.article.edits import replace_section
from memory.article.wikilinks import links_in
from memory.synthesis import events
from memory.synthesis.categories import ask_categories
from memory.synthesis.changes import Overtaken, Page, read_page, write
from memory.synthesis.citing import restored
from memory.synthesis.clip import clip
from memory.synthesis.drafts import draft
from memory.synthesis.gates import num_words, refuse_words
from memory.synthesis.infoboxes import ask_infobox
from memory.synthesis.marks import Marks
from memory.synthesis.models import ArticleState
from memory.synthesis.parts import INFOBOX, LEAD, Part, parts_of, summary_of
from memory.synthesis.question import SECTION, Question, says_yes, yes_or_no
from memory.synthesis.run import Run
from memory.synthesis.tidiness import earlier_hash, tidy_hash

LONG_SECTION = 60
"""Words below which there is nothing to tighten."""
SPLIT_WORDS = 250
MOST_HEADERS = 20
"""Headers made by an earlier version that one pass fills in anew, though nothing is new there."""
TIGHTEN = (
    "Write the section below again, shorter and clearer where that is possible. Keep every fact, "
    "every link in double brackets, and every mark in square brackets."
)
SPLITS = (
    "Below is a section of an article. Is it about a thing of its own, so that it should become an "
    "article by itself? Answer yes or no."
)


def plan() -> str:
    return f"{events.count(ArticleState.objects.count(), 'article')} to look at"


def wikify(run: Run) -> None:
    run.tell(events.stage("wikify", plan()))
    waiting: list[str] = []
    for stem in [page.stem for page in run.pages.names()]:
        with _unless_overtaken(run, stem):
            if not _wikify(run, stem):
                waiting.append(stem)
    for stem in waiting[:MOST_HEADERS]:
        with _unless_overtaken(run, stem):
            page = read_page(run, stem)
            if page.is_ours:
                _fill_header(run, page)
    if waiting[MOST_HEADERS:]:
        run.log("enough headers of an earlier version for one pass; the next one goes on")


@contextmanager
def _unless_overtaken(run: Run, stem: str) -> Iterator[None]:
    try:
        yield
    except Overtaken:
        run.log(f"{stem}: somebody wrote the article at this moment")


def _wikify(run: Run, stem: str) -> bool:
    """Look at all parts; returns False if only its header is left, and that can wait."""
    names = [n for n, part in _parts(read_page(run, stem)).items() if part.is_section]
    for name in names:
        page = read_page(run, stem)
        part = _parts(page).get(name)
        if part is not None and name in page.owned and not _is_tidy(page, part):
            _tighten(run, page, part)
    page = read_page(run, stem)
    lead = _parts(page).get(LEAD)
    if not page.is_ours or lead is None or _is_tidy(page, lead):
        return True
    if _was_tidy(page, lead):
        return False
    _fill_header(run, page)
    return True


def _parts(page: Page) -> dict[str, Part]:
    return parts_of(page.article) if page.article else {}


def _is_tidy(page: Page, part: Part) -> bool:
    assert page.article is not None
    if part.is_section and _was_tidy(page, part):
        return True
    return _known(page, part) == tidy_hash(page.article, part.name)


def _was_tidy(page: Page, part: Part) -> bool:
    """Whether a part says what it did when an earlier version looked at it."""
    return _known(page, part) == earlier_hash(part)


def _known(page: Page, part: Part) -> str | None:
    return page.state.wikified.get(part.name) if page.state else None


def _tighten(run: Run, page: Page, part: Part) -> None:
    assert page.article is not None
    if num_words(part.body) >= SPLIT_WORDS:
        material = f"Subject: {page.article.title}\nSection: {part.name}\n{clip(part.body, 1500)}"
        if says_yes(run.ask(yes_or_no("wikify", SPLITS, material))):
            run.pages.note(page.stem, f"{part.name}: could be an article of its own")
    after = page.article
    if num_words(part.body) >= LONG_SECTION:
        text = draft(
            run,
            Question("wikify", TIGHTEN, f"Section:\n{part.body}", SECTION, "Editorial_Guidelines"),
            lambda text: (
                refuse_words(part.body, text) is None and _links(part.body) <= _links(text)
            ),
        )
        if text is not None:
            after = replace_section(page.article, part.name, restored(part.body, text))
    _keep(run, page, after, f"Tidy {part.name} of {page.article.title}", part.name)


def _links(text: str) -> set[str]:
    return {link.stem for line in text.splitlines() for link in links_in(line)}


def _fill_header(run: Run, page: Page) -> None:
    """Fill in the infobox and the categories, unless they are a person's."""
    after = page.article
    assert after is not None
    text = clip(summary_of(after), 1500)
    if INFOBOX in page.owned or INFOBOX not in _parts(page):
        after = ask_infobox(run, "wikify", after, text)
    after = ask_categories(run, "wikify", after, text, page.owned)
    _keep(run, page, after, f"Fill in the header of {after.title}", LEAD)


def _keep(run: Run, page: Page, after: Article, subject: str, tidied: str) -> None:
    """Write what came of it; if that is refused, note that the part was looked at."""
    assert page.article is not None
    refused = write(run, page, after, subject, Marks(wikified=[tidied]))
    if refused is not None:
        run.problems += 1
        run.log(f"{page.stem}#{tidied}: {refused}")
        write(run, page, page.article, subject, Marks(wikified=[tidied]))
