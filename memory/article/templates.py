"""Lines that say something about the article: series, main article, redirect, stub."""

import re
from dataclasses import dataclass

from memory.article.source import Source
from memory.article.wikilinks import links_in

STUB = "{{stub}}"
_SENTENCES = {
    "series": re.compile(r"\s*\*Part of a series on (\[\[[^\[\]]+\]\])\.?\*\s*", re.IGNORECASE),
    "main": re.compile(r"\s*\*Main article: (\[\[[^\[\]]+\]\])\.?\*\s*", re.IGNORECASE),
    "redirect": re.compile(r"\s*\*Redirects to (\[\[[^\[\]]+\]\])\.?\*\s*", re.IGNORECASE),
}


@dataclass(frozen=True, slots=True)
class Template:
    """kind: series, main, redirect or stub. stem: the article that it names; empty for a stub."""

    kind: str
    line: int
    stem: str = ""


def read_template(line: str, number: int = 1) -> Template | None:
    """Return the template that is all of `line`, or None."""
    begin = line.lstrip()[:1]
    if begin == "{" and line.strip().lower() == STUB:
        return Template("stub", number)
    if begin != "*":
        return None
    for kind, sentence in _SENTENCES.items():
        match = sentence.fullmatch(line)
        link = next(links_in(match.group(1)), None) if match else None
        if link is not None and link.stem:
            return Template(kind, number, link.stem)
    return None


def find_templates(source: Source) -> list[Template]:
    return [t for number, line in source.prose_lines if (t := read_template(line, number))]
