"""Puts the marks of footnotes into prose, and sees to it that none is lost. Pure."""

import re
from collections.abc import Iterator

from memory.article.footnotes import marker

_MARK = re.compile(r"\[\^[^\[\]\s^]+\]")
# A sentence with the marks behind it, then the space to the next one.
_SENTENCE = re.compile(r"[^\s].*?(?:[.!?…](?=[\s\[\"')]|$)[\"')]*(?:\[\^[^\[\]\s^]+\])*|$)", re.S)


def marks_in(text: str) -> list[str]:
    return list(dict.fromkeys(_MARK.findall(text)))


def without_marks(text: str) -> str:
    return _MARK.sub("", text)


def cite_new(before: str, after: str, label: str) -> str | None:
    """Put a mark behind the last sentence that `before` does not have; None if it has them all."""
    known = {_folded(sentence) for sentence, _ in _sentences(before)}
    new = [end for sentence, end in _sentences(after) if _folded(sentence) not in known]
    return _insert(after, new[-1], marker(label)) if new else None


def cite_all(text: str, labels: list[str]) -> str:
    """Put marks at the end of a text."""
    return text.rstrip() + "".join(map(marker, labels))


def restored(before: str, after: str) -> str:
    """Return `after` with the marks of `before` that it lost, and without any that are new.

    A mark goes behind the sentence that it stood behind, or else to the end.
    """
    wanted = marks_in(before)
    after = _MARK.sub(lambda match: match[0] if match[0] in wanted else "", after)
    for mark in wanted:
        if mark in after:
            continue
        held = {_folded(s) for s, _ in _sentences(before) if mark in s}
        ends = [end for sentence, end in _sentences(after) if _folded(sentence) in held]
        after = _insert(after, ends[-1] if ends else len(after.rstrip()), mark)
    return after


def first_sentence(text: str) -> str:
    return next((without_marks(sentence) for sentence, _ in _sentences(text)), "")


def _sentences(text: str) -> Iterator[tuple[str, int]]:
    """Yield each sentence with its marks, and where it ends."""
    for match in _SENTENCE.finditer(text):
        yield match[0], match.end()


def _folded(sentence: str) -> str:
    return " ".join(re.findall(r"\w+", without_marks(sentence).casefold()))


def _insert(text: str, at: int, piece: str) -> str:
    return text[:at] + piece + text[at:]
