"""Looks at every change before it is written, and refuses what would lose something. Pure."""

import re
from collections import Counter

from memory.article.article import Article
from memory.article.check import check

KEPT_SHARE = 0.7
_CODE = re.compile(r"\[\^[^\]\s]+\](?::.*)?|`[^`]*`")


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


def refuse_words(before: str, after: str) -> str | None:
    """Refuse a text that lost more than a few words of the one that it replaces."""
    had, has = num_words(before), num_words(after)
    if has < KEPT_SHARE * had:
        return f"{has:,} words are left of {had:,}; {KEPT_SHARE:.0%} must be"
    return None


def num_words(text: str) -> int:
    return len(re.findall(r"\w+", _CODE.sub(" ", text)))


def _problems(article: Article) -> Counter[tuple[str, str]]:
    return Counter((problem.code, problem.text) for problem in check(article))


def _citations(article: Article) -> Counter[str]:
    return Counter(definition.text for definition in article.footnotes.definitions)
