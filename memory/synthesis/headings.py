"""Headings of sections: asked for, and held to what a heading can be."""

import re
from collections.abc import Iterable, Sequence

from memory.article.blocks import LAST_SECTIONS
from memory.article.headings import slugify
from memory.synthesis.parts import HISTORY
from memory.synthesis.question import Question
from memory.synthesis.run import Run

POLICY = "Article_Conventions"
MOST_WORDS = 6
MAX_TOKENS = 24
_RESERVED = frozenset(map(slugify, (*LAST_SECTIONS, HISTORY, "lead", "none", "introduction")))
_WRONG = re.compile(r"[\[\]<>{}`|#*]")

INSTRUCTIONS = (
    "Write a heading of one to four words for the part of an article that holds the points below. "
    "Write the heading alone."
)


def ask_heading(
    run: Run, stage: str, title: str, points: Sequence[str], taken: Iterable[str]
) -> str | None:
    """Ask what a section on `points` shall be called; None for what can be no heading."""
    listed = "\n".join(f"- {point}" for point in points[:10])
    material = f"Subject: {title}\nPoints:\n{listed}"
    question = Question(stage, INSTRUCTIONS, material, MAX_TOKENS, POLICY)
    return read_heading(run.ask(question), title, taken)


def read_heading(answer: str, title: str, taken: Iterable[str]) -> str | None:
    lines = answer.strip().splitlines()
    text = lines[0].strip(" \"'*#.:") if lines else ""
    text = re.sub(r"^(heading|title)\s*:\s*", "", text, flags=re.IGNORECASE).strip(" \"'*")
    if not text or len(text.split()) > MOST_WORDS or len(text) > 60 or _WRONG.search(text):
        return None
    anchor = slugify(text)
    used = {*map(slugify, taken), slugify(title)}
    if not anchor or anchor in _RESERVED or anchor in used:
        return None
    return text[0].upper() + text[1:]


def heading_of_label(label: str, taken: Iterable[str]) -> str:
    """Make a heading of what a chunk is about, unlike the others."""
    words = _WRONG.sub(" ", label).strip(" .:").split()
    base = " ".join(words[:MOST_WORDS]) or "Further facts"
    used = {*map(slugify, taken), *_RESERVED, ""}
    heading, number = base[0].upper() + base[1:], 2
    while slugify(heading) in used:
        heading, number = f"{base} ({number})" if slugify(base) else f"Facts {number}", number + 1
    return heading
