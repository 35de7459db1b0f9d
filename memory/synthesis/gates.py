"""Looks at every change before it is written, and refuses what would lose something. Pure."""

import re
from collections import Counter
from collections.abc import Iterable

from memory.article.article import Article
from memory.article.check import check
from memory.synthesis.citing import without_marks
from memory.synthesis.parts import parts_of

KEPT_SHARE = 0.7
_CODE = re.compile(r"\[\^[^\[\]\s]+\](?::.*)?|`[^`]*`")


def refuse(before: Article | None, after: Article) -> str | None:
    """Return why `after` may not be written in place of `before`, None if it may.

    before: None for a new article. What was wrong with an article before is no reason.
    """
    known = Counter() if before is None else _problems(before)
    new = _problems(after) - known
    if new:
        return next(iter(new))[1]
    if before is None:
        return None
    if _citations(before) - _citations(after):
        return "a citation is lost"
    h1_before, h1_after = before.block("h1"), after.block("h1")
    if h1_before and (h1_after is None or h1_after.title != h1_before.title):
        return "the title is lost"
    if before.block("references") and not after.block("references"):
        return "References are lost"
    return refuse_words(before.text, after.text)


def refuse_lost_lines(before: Article | None, after: Article, owned: Iterable[str]) -> str | None:
    """Refuse a change that loses a line outside of the parts `owned`: a person's words.

    Code numbers footnotes and says what is a stub, so these do not count.
    """
    if before is None:
        return None
    parts = parts_of(before)
    ours = {
        line
        for name in parts.keys() & set(owned)
        for line in range(parts[name].block.first, parts[name].block.last + 1)
    }
    ours |= {template.line for template in before.templates if template.kind == "stub"}
    lost = _lines(before, ours) - _lines(after, set())
    return f"a line that a person wrote is lost: {next(iter(lost))[:60]!r}" if lost else None


def refuse_words(before: str, after: str) -> str | None:
    """Refuse a text that lost more than a few words of the one that it replaces."""
    had, has = num_words(before), num_words(after)
    if has < KEPT_SHARE * had:
        return f"{has:,} words are left of {had:,}; {KEPT_SHARE:.0%} must be"
    return None


def num_words(text: str) -> int:
    return len(re.findall(r"\w+", _CODE.sub(" ", text)))


def _lines(article: Article, left_out: set[int]) -> Counter[str]:
    """Count the lines that say something, but for those with these numbers."""
    lines = enumerate(article.source.lines, 1)
    said = (without_marks(line).strip() for number, line in lines if number not in left_out)
    return Counter(line for line in said if line)


def _problems(article: Article) -> Counter[tuple[str, str]]:
    return Counter((problem.code, problem.text) for problem in check(article))


def _citations(article: Article) -> Counter[str]:
    return Counter(definition.text for definition in article.footnotes.definitions)
