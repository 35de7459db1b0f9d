"""Answers with their reasoning in front, between `<think>` and `</think>`."""

import re

from jobs.dataset.parsing.text import paragraphs

OPEN, CLOSE = "<think>", "</think>"
_ANSWER = re.compile(r"^[*_# \t]*(?:final +)?answer[*_ ]*:", re.IGNORECASE | re.MULTILINE)


def with_thoughts(text: str, reasoning: str = "") -> str:
    """Return the answer with exactly one block of thoughts before it, added if it has none.

    reasoning: thoughts that the server has told apart already. Else what stands before
    `Answer:`, or before the last paragraph, is taken for them; an answer of one paragraph gets an
    empty block, as models write it that answer without thinking.
    """
    before, closed, after = text.partition(CLOSE)
    if reasoning:
        return _joined(reasoning, after if closed else text)
    if closed:
        return _joined(before, after)
    if text.lstrip().startswith(OPEN):  # it never stopped thinking
        text = text.replace(OPEN, "", 1)
    return _joined(*_split(text))


def _split(text: str) -> tuple[str, str]:
    if marks := list(_ANSWER.finditer(text)):
        place = marks[-1]
        thoughts, answer = text[: place.start()], text[place.end() :].lstrip("*_ ")
        if thoughts.strip() and answer.strip():
            return thoughts, answer
    *thoughts_, answer = paragraphs(text) or [""]
    return "\n\n".join(thoughts_), answer


def _joined(thoughts: str, answer: str) -> str:
    thoughts = thoughts.replace(OPEN, "").replace(CLOSE, "").strip()
    return f"{OPEN}\n{thoughts}\n{CLOSE}\n\n{answer.replace(OPEN, '').replace(CLOSE, '').strip()}"
