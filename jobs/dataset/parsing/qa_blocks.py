"""Questions and answers written as `Q:` and `A:`."""

import re

from jobs.dataset.parsing.text import paragraphs

# Up to a colon: "Q:", "Question 3:", "**A:**", "- A:"
_MARK = re.compile(
    r"^[ \t]*(?:[-*>#]+[ \t]*|\d+[.)][ \t]*)?(?:\*\*|__)?"
    r"(?P<kind>q(?:uestion)?|a(?:nswer)?)(?:[ \t]?\d+)?[ \t]*(?:\*\*|__)?:(?:\*\*|__)?",
    re.IGNORECASE | re.MULTILINE,
)
Pair = tuple[str, str]


def split_blocks(text: str) -> tuple[list[Pair], int]:
    """Return the pairs of all blocks, which blank lines part, and how many blocks have none."""
    pairs: list[Pair] = []
    num_bad = 0
    for block in paragraphs(text):
        found = _pairs(block)
        pairs += found
        num_bad += not found
    return pairs, num_bad


def _pairs(block: str) -> list[Pair]:
    """A question counts with the answer that follows it; both may have several lines."""
    found: list[Pair] = []
    question = ""
    marks = list(_MARK.finditer(block))
    starts = [*(mark.start() for mark in marks), len(block)]
    for mark, end in zip(marks, starts[1:], strict=True):
        said = block[mark.end() : end].strip()
        if mark["kind"][0] in "qQ":
            question = said
        elif question and said:
            found.append((question, said))
            question = ""
    return found
