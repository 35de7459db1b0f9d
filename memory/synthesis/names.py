"""Names of subjects: when two are the same, when they may be, and what file one gets."""

import re
import unicodedata
from collections.abc import Iterable

from memory.article.wikilinks import stem_of

LONGEST_TITLE = 50  # characters, of which UTF-8 makes 200 bytes at most
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\ufeff/\\:*?"<>|#\[\]^{}`]+')
_ARTICLES = frozenset({"the", "a", "an"})


def canonical(name: str) -> str:
    """Return what equal names have in common: letters and digits, in lower case."""
    text = unicodedata.normalize("NFKC", name).casefold().replace("_", " ")
    text = re.sub(r"['\u2019]s\b", "", text)
    # Signs that tell names apart, as in C and C++, are kept.
    words = re.findall(r"[\w+#]+", text)
    if len(words) > 1 and words[0] in _ARTICLES:
        words = words[1:]
    return " ".join(words)[:200]


def title_of(surface: str) -> str:
    """Return a name as the title of an article, its first letter large; blank for mere signs."""
    text = unicodedata.normalize("NFC", surface.replace("_", " "))
    text = " ".join(_FORBIDDEN.sub(" ", text).split())
    text = text.lstrip(".-~ ")[:LONGEST_TITLE].rstrip(" .")
    return text[:1].upper() + text[1:]


def free_title(title: str, taken: Iterable[str]) -> str:
    """Return a title whose file has a name unlike all `taken` ones in any letter case."""
    used = {stem.casefold() for stem in taken}
    free, number = title, 2
    while stem_of(free).casefold() in used:
        free, number = f"{title} ({number})", number + 1
    return free


def trigrams(text: str) -> frozenset[str]:
    padded = f"  {text} "
    return frozenset(padded[i : i + 3] for i in range(len(padded) - 2))


def similarity(a: str, b: str) -> float:
    """Return the share of trigrams that two names have in common, from 0 to 1."""
    ours, theirs = trigrams(a), trigrams(b)
    return len(ours & theirs) / len(ours | theirs)


def contains(a: str, b: str) -> bool:
    """Whether the words of one name, two at least, are all among the other's."""
    ours, theirs = set(a.split()), set(b.split())
    fewer, more = sorted((ours, theirs), key=len)
    return len(fewer) >= 2 and fewer <= more
