"""Hashes of parts as they were last looked at: with the same one there is nothing new to tidy."""

import re

from memory.article.article import Article
from memory.synthesis.parts import LEAD, Part, digest, parts_of, plain, summary_of

_MARKER_NUMBER = re.compile(r"\[\^\d+\]")
_LINK = re.compile(r"\[\[([^\[\]\n]+)\]\]")


def tidy_hash(article: Article, name: str) -> str:
    """Equal as long as there is nothing new to tidy: links, marks and layout do not count.

    For the lead all counts that the fields of the infobox are made of.
    """
    text = summary_of(article) if name == LEAD else plain(parts_of(article)[name].text)
    return _of_words(text)


def earlier_hash(part: Part) -> str:
    """Return the hash that ledgers of earlier versions have of a part that was looked at."""
    shown = _LINK.sub(lambda match: match[1].rpartition("|")[2], _MARKER_NUMBER.sub("", part.text))
    return _of_words(shown)


def _of_words(text: str) -> str:
    return digest(" ".join(re.findall(r"\w+", text.casefold())))
