"""Link: the first mention of another article becomes a link, and See also is made anew. Code alone.

Doing it twice changes nothing. Only parts that synthesis wrote get links; a See also that a person
wrote only grows.
"""

import re
from collections import Counter, defaultdict

from memory.article.article import Article
from memory.article.edits import SEE_ALSO, extend_see_also, rebuild_see_also
from memory.article.wikilinks import find_links
from memory.synthesis import events
from memory.synthesis.changes import Overtaken, Page, read_page, write
from memory.synthesis.marks import Marks
from memory.synthesis.mentions import Names, link_first
from memory.synthesis.models import ChunkSubject
from memory.synthesis.parts import CATEGORIES, INFOBOX, Part, parts_of
from memory.synthesis.run import Run

MOST_SEE_ALSO = 8
_NO_PROSE = (INFOBOX, CATEGORIES, SEE_ALSO)
_ENTRY = re.compile(r"- \[\[[^\[\]|#]+\]\]")

Scores = dict[str, Counter[str]]
"""How closely articles go together, by stem and stem."""


def plan() -> str:
    return "every article is looked at"


def link(run: Run) -> None:
    run.tell(events.stage("link", "Linking articles to each other"))
    pages = list(run.pages.names())
    names = Names({page.stem: (page.title, *page.aliases) for page in pages})
    stems = [page.stem for page in pages]
    scores = _co_occurrence()
    _add_mentions(run, stems, names, scores)
    for stem in stems:
        page = read_page(run, stem)
        if page.article is None or not page.is_ours:
            continue
        article = _see_also(page, _linked(page, page.article, names), scores[stem], set(stems))
        try:
            refused = write(run, page, article, f"Link {page.article.title}", Marks())
        except Overtaken:
            refused = "somebody wrote the article at this moment"
        if refused is not None:
            run.log(f"{stem}: {refused}")


def _prose(page: Page) -> list[Part]:
    """The parts of an article that may get links."""
    assert page.article is not None
    parts = parts_of(page.article)
    return [parts[n] for n in parts if n in page.owned and n not in _NO_PROSE]


def _linked(page: Page, article: Article, names: Names) -> Article:
    see_also = article.block("see-also")
    known = {
        found.stem
        for found in find_links(article.source)
        if see_also is None or not see_also.first <= found.line <= see_also.last
    }
    numbers = [
        number - 1
        for part in _prose(page)
        for number in range(part.block.first, part.block.last + 1)
        if number not in article.source.code_lines
        and not article.source.line(number).startswith("#")
    ]
    lines = link_first(article.source.lines, numbers, names, known | {article.stem})
    return Article(article.stem, "".join(lines))


def _see_also(page: Page, article: Article, scores: Counter[str], stems: set[str]) -> Article:
    """List the articles that go with this one best; what a person has there stays as it is."""
    ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    close = [stem for stem, _ in ranked if stem in stems and stem != article.stem][:MOST_SEE_ALSO]
    block = article.block("see-also")
    if block is None or (SEE_ALSO in page.owned and _is_ours(article.body_of(block))):
        return rebuild_see_also(article, close)
    listed = _listed(article)
    after = extend_see_also(article, [stem for stem in close if stem not in listed])
    # In code that nobody closed, say, links are none: they would be added again and again.
    return after if _listed(after) >= set(close) else article


def _is_ours(see_also: str) -> bool:
    """Whether a See also is a list of links and nothing else, as code makes it."""
    _, _, body = see_also.partition("\n")
    return all(_ENTRY.fullmatch(line) for line in body.splitlines() if line.strip())


def _listed(article: Article) -> set[str]:
    block = article.block("see-also")
    return {
        found.stem
        for found in find_links(article.source)
        if block is not None and block.first <= found.line <= block.last
    }


def _co_occurrence() -> Scores:
    """Count for each two articles the chunks that are about both."""
    of_chunk: dict[str, list[str]] = defaultdict(list)
    about = ChunkSubject.objects.exclude(subject__article="").order_by("id")
    for chunk, stem in about.values_list("chunk_id", "subject__article"):
        of_chunk[chunk].append(stem)
    scores: Scores = defaultdict(Counter)
    for together in of_chunk.values():
        for stem in together:
            scores[stem].update(other for other in together if other != stem)
    return scores


def _add_mentions(run: Run, stems: list[str], names: Names, scores: Scores) -> None:
    """Count one for an article that mentions another, on both sides."""
    for stem in stems:
        article = run.pages.read(stem)
        if article is None:
            continue
        end = article.block("see-also") or article.block("references")
        lines = article.source.lines[: end.first - 1 if end else None]
        found = {m.stem for line in lines for m in names.mentions(line)}
        found |= {each.stem for each in article.links if each.line <= len(lines)}
        for other in found - {stem}:
            scores[stem][other] += 1
            scores[other][stem] += 1
