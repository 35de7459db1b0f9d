"""Changes of an article that touch only the lines they name; all other bytes stay.

Each takes an article and returns another. Text that is put in ends its lines as the article does.
"""

from collections.abc import Sequence

from memory.article.article import Article
from memory.article.blocks import LAST_SECTIONS, Block
from memory.article.categories import category_line_of
from memory.article.infobox import LABEL
from memory.article.lines import line_end_of

_TITLES = {kind: title.capitalize() for title, kind in LAST_SECTIONS.items()}
SEE_ALSO, REFERENCES = _TITLES["see-also"], _TITLES["references"]


class NoSuchSection(KeyError):
    """An edit names a section that the article does not have."""


def splice(article: Article, first: int, last: int, text: str) -> Article:
    """Put `text` in place of the lines from `first` to `last`, counted from 1.

    `last` before `first` puts it in before `first`. The line before gets an end if it lacks one.
    """
    lines = list(article.source.lines)
    end = line_end_of(article.text)
    piece = text.replace("\r\n", "\n").replace("\n", end)
    if piece and first > 1 and not lines[first - 2].endswith("\n"):
        lines[first - 2] += end
    lines[first - 1 : last] = [piece] if piece else []
    return Article(article.stem, "".join(lines))


def replace_section(article: Article, anchor: str, body: str) -> Article:
    """Put `body` below the heading of a section, in place of all that it holds.

    Raises NoSuchSection.
    """
    section = article.section(anchor)
    if section is None:
        raise NoSuchSection(anchor)
    behind = "\n" if section.last < len(article.source.lines) else ""
    return splice(article, section.first + 1, section.last, f"\n{body.strip()}\n{behind}")


def replace_lead(article: Article, text: str) -> Article:
    """Put `text` in place of the lead, or where one belongs."""
    lead = article.block("lead")
    if lead is not None:
        return splice(article, lead.first, lead.last, f"{text.strip()}\n")
    at = _first_section(article)
    return splice(article, at, at - 1, f"{_gap(article, at)}{text.strip()}\n{_behind(article, at)}")


def add_section(article: Article, title: str, body: str) -> Article:
    """Add a section of the second level behind the others, before See also and what follows."""
    at = _before(article, *LAST_SECTIONS.values())
    return _insert_section(article, at, title, body)


def rebuild_see_also(article: Article, stems: Sequence[str]) -> Article:
    """Let See also list just these articles; without any there is no such section."""
    listed = "\n".join(f"- [[{stem}]]" for stem in dict.fromkeys(stems))
    block = article.block("see-also")
    if block is None:
        at = _before(article, "notes", "references")
        return _insert_section(article, at, SEE_ALSO, listed) if listed else article
    if not listed:
        return splice(article, block.first, block.last, "")
    if article.body_of(block).split("\n", 1)[-1].strip() == listed:
        return article
    return replace_section(article, block.title or SEE_ALSO, listed)


def extend_see_also(article: Article, stems: Sequence[str]) -> Article:
    """List more articles behind what See also says, above any heading that it holds."""
    block = article.block("see-also")
    if block is None:
        return rebuild_see_also(article, stems)
    inner = (s.first - 1 for s in article.sections if block.first < s.first <= block.last)
    at = next(inner, block.last)
    while not article.source.line(at).strip():
        at -= 1
    is_list = article.source.line(at).lstrip().startswith(("- ", "* "))
    listed = "".join(f"- [[{stem}]]\n" for stem in dict.fromkeys(stems))
    return splice(article, at + 1, at, listed if is_list else f"\n{listed}") if listed else article


def set_infobox_field(article: Article, key: str, value: str | None) -> Article:
    """Set one field, or take it out; an infobox is made if there is none."""
    value = " ".join(value.split()) if value is not None else None
    infobox = article.infobox
    if infobox is None:
        return article if value is None else _add_infobox(article, f"{key}: {value}")
    known = infobox.get(key)
    if known is None:
        if value is None:
            return article
        at = infobox.last if infobox.is_closed else infobox.first + 1
        return splice(article, at, at - 1, f"{key}: {value}\n")
    if value is not None and known.value == value:
        return article
    line = "" if value is None else f"{known.key}: {value}\n"
    return splice(article, known.line, known.line, line)


def set_categories(article: Article, names: Sequence[str]) -> Article:
    """Put the article into these categories and no others; an article without a lead stays."""
    line = f"{category_line_of(names)}\n"
    known, lead = article.category_line, article.block("lead")
    if known is not None:
        same = tuple(names) == known.names
        return article if same else splice(article, known.line, known.line, line)
    if lead is None:
        return article
    at = lead.last + 1
    return splice(article, at, lead.last, f"\n{line}{_behind(article, at)}")


def _add_infobox(article: Article, field: str) -> Article:
    above = article.block("series") or article.block("h1")
    at = above.last + 1 if above else 1
    text = f"```{LABEL}\n{field}\n```\n"
    return splice(article, at, at - 1, f"{_gap(article, at)}{text}{_behind(article, at)}")


def _insert_section(article: Article, at: int, title: str, body: str) -> Article:
    text = f"## {title}\n\n{body.strip()}\n"
    return splice(article, at, at - 1, f"{_gap(article, at)}{text}{_behind(article, at)}")


def _first_section(article: Article) -> int:
    sections = article.sections
    return sections[0].first if sections else len(article.source.lines) + 1


def _before(article: Article, *kinds: str) -> int:
    """The line of the first block of these kinds, else the line behind the last."""
    block: Block | None = next((b for b in article.blocks if b.kind in kinds), None)
    return block.first if block else len(article.source.lines) + 1


def _gap(article: Article, at: int) -> str:
    """A blank line, if there is none before line `at`."""
    return "\n" if at > 1 and article.source.lines[at - 2].strip() else ""


def _behind(article: Article, at: int) -> str:
    """A blank line, if there is none at line `at` and the article goes on there."""
    lines = article.source.lines
    return "\n" if at <= len(lines) and lines[at - 1].strip() else ""
