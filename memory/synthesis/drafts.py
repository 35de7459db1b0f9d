"""Asks for prose, and refuses what is no prose: a draft that repeats its instructions, talks to
the reader, or brings markup of its own. Such a draft leaks. It is asked for once more.
"""

import re
from collections.abc import Callable
from dataclasses import replace

from memory.synthesis.question import Question
from memory.synthesis.run import Run

AGAIN = " Write plain sentences only: no greeting, no heading, no list of what was asked."
SHINGLE = 6
"""So many words in a row of the instructions are no coincidence."""
_TALK = re.compile(
    r"^\W*(?:(?:sure|certainly|of course|okay|as an ai|note|answer|section|material|text|lead)"
    r"\s*[,:.!]|here (?:is|are)\b[^.!?]*:|i(?:'m| am) (?:sorry|an ai)\b"
    r"|the (?:rewritten|revised|updated|new) (?:section|text|lead)\b)",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"^\s{0,3}(#{1,6}\s|```|~~~|\|.*\||---|===)|<\|?\w+\|?>|\{\{|\[\^\w*\]:", re.M)
_PLACEHOLDER = re.compile(
    r"\[(?:name|date|insert|your|title|topic)\b[^\[\]]*\]|<[a-z_ ]+>|\bN/A\b", re.I
)
_TURN = re.compile(r"^[ \t]*(user|assistant|system)[ \t]*:", re.IGNORECASE | re.MULTILINE)


def draft(
    run: Run, question: Question, accept: Callable[[str], bool] = lambda text: True
) -> str | None:
    """Return prose, or None if neither the first draft nor a second one can be taken.

    accept: what the caller demands of a draft besides.
    """
    question = run.briefed(question)
    for attempt in (question, replace(question, instructions=question.instructions + AGAIN)):
        text = tidied(run.ask(attempt))
        if text and not leak(text, question.instructions) and accept(text):
            return text
    return None


def tidied(answer: str) -> str:
    """Return an answer without the quotes or the blank lines around it."""
    text = answer.strip()
    if len(text) > 1 and text[0] == text[-1] == '"' and '"' not in text[1:-1]:
        text = text[1:-1].strip()
    return "\n\n".join(paragraph for p in re.split(r"\n\s*\n", text) if (paragraph := p.strip()))


def leak(text: str, instructions: str) -> str | None:
    """Return what is wrong with a draft, None if nothing is."""
    if _TALK.search(text):
        return "it talks to the reader"
    if _MARKUP.search(text):
        return "it brings markup"
    if _PLACEHOLDER.search(text):
        return "it has a place left open"
    if _TURN.search(text):
        return "it goes on with the conversation"
    if _shingles(text) & _shingles(instructions):
        return "it repeats its instructions"
    if _repeats_itself(text):
        return "it repeats itself"
    return None


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _shingles(text: str) -> set[tuple[str, ...]]:
    words = _words(text)
    return {tuple(words[i : i + SHINGLE]) for i in range(len(words) - SHINGLE + 1)}


def _repeats_itself(text: str) -> bool:
    """Whether a small model got stuck: some row of words stands there three times."""
    words = _words(text)
    seen: dict[tuple[str, ...], int] = {}
    for i in range(len(words) - SHINGLE + 1):
        row = tuple(words[i : i + SHINGLE])
        seen[row] = seen.get(row, 0) + 1
        if seen[row] == 3:
            return True
    return False
