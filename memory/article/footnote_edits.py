"""Changes of footnotes: a new one, and numbers in the order of the text."""

from itertools import pairwise

from memory.article.article import Article
from memory.article.edits import REFERENCES, splice
from memory.article.footnotes import Citation, Definition, Footnotes, marker
from memory.article.lines import line_end_of


def add_footnote(article: Article, citation: Citation) -> tuple[Article, str]:
    """Define a footnote below References, behind the others.

    Returns the label, whose marker is yet to be put in.
    """
    footnotes = article.footnotes
    used = {m.label for m in footnotes.markers} | {d.label for d in footnotes.definitions}
    number = 1 + max((int(label) for label in used if label.isdecimal()), default=0)
    line = f"{marker(str(number))}: {citation}\n"
    lines = article.source.lines
    references = article.block("references")
    if references is None:
        gap = "\n" if lines and lines[-1].strip() else ""
        at = len(lines) + 1
        return splice(article, at, at - 1, f"{gap}## {REFERENCES}\n\n{line}"), str(number)
    block = range(references.first, references.last + 1)
    at = max((d.last for d in footnotes.definitions if d.first in block), default=references.last)
    while at > references.first and not lines[at - 1].strip():
        at -= 1
    first = "\n" if at == references.first else ""
    return splice(article, at + 1, at, first + line), str(number)


def renumber(article: Article) -> Article:
    """Number footnotes from 1 in the order of their first markers, and sort what defines them.

    Definitions without a marker come last. Nothing changes unless every marker has one
    definition: what is ambiguous is for a person to put right.
    """
    footnotes = article.footnotes
    if footnotes.undefined or footnotes.repeated:
        return article
    order = [*footnotes.cited, *footnotes.uncited]
    numbers = {label: str(number) for number, label in enumerate(order, 1)}
    lines = _relabel(article, footnotes, numbers)
    definitions = footnotes.definitions
    if _are_adjacent(article, definitions):
        texts = {d.label: "".join(lines[d.first - 1 : d.last]) for d in definitions}
        end = line_end_of(article.text)
        ordered = [texts[label].rstrip("\r\n") for label in order]
        last = "".join(lines[: definitions[-1].last]).endswith("\n")
        first_line, last_line = definitions[0].first - 1, definitions[-1].last
        lines[first_line:last_line] = [end.join(ordered) + (end if last else "")]
    return Article(article.stem, "".join(lines))


def _relabel(article: Article, footnotes: Footnotes, numbers: dict[str, str]) -> list[str]:
    places: dict[int, list[tuple[int, int, str]]] = {}
    for found in footnotes.markers:
        place = (found.start, found.end, marker(numbers[found.label]))
        places.setdefault(found.line, []).append(place)
    lines = list(article.source.lines)
    for d in footnotes.definitions:
        at = lines[d.first - 1].index("[^")
        place = (at, at + len(marker(d.label)), marker(numbers[d.label]))
        places.setdefault(d.first, []).append(place)
    for number, changes in places.items():
        line, at = lines[number - 1], 0
        pieces: list[str] = []
        for start, end, text in sorted(changes):
            pieces += line[at:start], text
            at = end
        lines[number - 1] = "".join([*pieces, line[at:]])
    return lines


def _are_adjacent(article: Article, definitions: tuple[Definition, ...]) -> bool:
    """Whether one definition follows the other, with no line between them."""
    return bool(definitions) and all(
        one.last + 1 == other.first for one, other in pairwise(definitions)
    )
