"""The page `_captured`: what came up once, so that it can be found before it is an article."""

from collections.abc import Sequence

from memory.article.article import Article
from memory.article.edits import add_section
from memory.article.headings import slugify
from memory.synthesis.changes import Overtaken, put, read_page
from memory.synthesis.citing import cite_all
from memory.synthesis.gates import refuse
from memory.synthesis.headings import heading_of_label
from memory.synthesis.marks import Marks
from memory.synthesis.models import CAPTURED, Chunk, Subject
from memory.synthesis.pages import hash_of
from memory.synthesis.references import cite
from memory.synthesis.run import Run

LEAD = "What came up so far in one conversation alone. What comes up again gets an article."


def keep(run: Run) -> None:
    """Bring the page up to date. One that a person edited only grows."""
    page = read_page(run, CAPTURED)
    begun = Article(CAPTURED, f"# {CAPTURED}\n\n{LEAD}\n")
    subjects = list(
        Subject.objects.filter(article="", is_closed=False, chunks__isnull=False)
        .distinct()
        .order_by("title", "key")
    )
    is_ours = (
        page.state is not None
        and page.article is not None
        and (page.state.content == hash_of(page.article))
    )
    if page.article is None and not subjects:
        return
    known = None if is_ours else page.article
    after = _fill(known or begun, subjects)
    reason = refuse(known, after)
    if reason is not None:
        run.log(f"{CAPTURED}: {reason}")
        return
    try:
        put(run, page, after, "Keep what came up once", Marks())
    except Overtaken:
        run.log(f"{CAPTURED}: somebody wrote the page at this moment")


def _fill(article: Article, subjects: Sequence[Subject]) -> Article:
    known = {slugify(section.title or "") for section in article.sections}
    taken: list[str] = []
    for subject in subjects:
        heading = heading_of_label(subject.title, taken)
        taken.append(heading)
        if slugify(heading) in known:
            continue
        chunks: Sequence[Chunk] = list(subject.chunks.select_related("conversation"))
        lines = []
        for chunk in chunks:
            article, label = cite(article, chunk)
            lines.append(f"- {cite_all(f'{chunk.label}.', [label])}")
        if lines:
            article = add_section(article, heading, "\n".join(lines))
    return article
