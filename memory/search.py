"""Finds words in the pages of the vault.

Pages rank by how many of the words they hold, then by how many stand in the title, then by how
often they occur, then by name. Lines rank by how many of the words they hold.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest

from memory.article.headings import slugify
from memory.catalog import Entry, Snapshot
from memory.folding import fold

MOST_TERMS = 20
LONGEST_EXCERPT = 240  # characters
CUT = "…"
_STOPWORDS = """
a about an and are as at be been but by can could did do does for from had has have how i if in into
is it its me my no not of on or our she so that the their them then there these they this to us was
we were what when where which who why will with would you your
"""
STOPWORDS = frozenset(_STOPWORDS.split())
_AROUND, _BEHIND = "\"'()“”„«»", "?!.,;:"


@dataclass(frozen=True, slots=True)
class Summary:
    """A page that holds some of the words. title_matches: how many of them its title holds."""

    name: str
    occurrences: int
    matched_terms: tuple[str, ...]
    title_matches: int


@dataclass(frozen=True, slots=True)
class Hit:
    """A line that holds some of the words. anchor: of its section; empty above all of them."""

    name: str
    anchor: str
    line: int
    excerpt: str


@dataclass(frozen=True, slots=True)
class Found:
    terms: tuple[str, ...]
    summaries: list[Summary]
    hits: list[Hit]


def split_terms(query: str) -> tuple[str, ...]:
    """Return the words to look for, folded, each once. Of stopwords alone, all are one text."""
    words = (word.strip(_AROUND).rstrip(_BEHIND).strip(_AROUND) for word in fold(query).split())
    terms = [word for word in dict.fromkeys(words) if word and word not in STOPWORDS]
    whole = " ".join(fold(query).split())
    return tuple(terms[:MOST_TERMS]) or ((whole,) if whole else ())


def pages_in(snapshot: Snapshot, scope: str) -> Iterator[Entry]:
    """Yield the pages of a scope: `articles`, `reference`, or else all of them."""
    if scope != "reference":
        yield from snapshot.articles.values()
    if scope != "articles":
        yield from snapshot.reference.values()


def search(pages: Iterable[Entry], query: str, limit: int) -> Found:
    """Return the best pages and the best lines, `limit` of each at most."""
    terms = split_terms(query)
    matches = [(summary, entry) for entry in pages if (summary := _summarize(entry, terms))]
    best = nsmallest(limit, (summary for summary, _ in matches), key=_rank)
    lines = (line for summary, entry in matches for line in _matching_lines(entry, summary))
    entries = {entry.name: entry for _, entry in matches}
    hits = [_hit(entries[name], number, terms) for _, name, number in nsmallest(limit, lines)]
    return Found(terms, best, hits)


def _summarize(entry: Entry, terms: Sequence[str]) -> Summary | None:
    counts = {term: entry.folded.count(term) for term in terms}
    in_title = [term for term in terms if term in entry.folded_title]
    matched = tuple(term for term in terms if counts[term] or term in in_title)
    if not matched:
        return None
    return Summary(entry.name, sum(counts.values()), matched, len(in_title))


def _rank(summary: Summary) -> tuple[int, int, int, str]:
    return (
        -len(summary.matched_terms),
        -summary.title_matches,
        -summary.occurrences,
        summary.name,
    )


def _matching_lines(entry: Entry, summary: Summary) -> Iterator[tuple[int, str, int]]:
    """Yield the lines that hold words as they rank: the number of words negated, name, line."""
    counts: Counter[int] = Counter()
    text, starts = entry.folded, entry.folded_line_starts
    for term in summary.matched_terms:
        at = text.find(term)
        while at >= 0:
            number = bisect_right(starts, at)
            counts[number] += 1
            at = text.find(term, starts[number]) if number < len(starts) else -1
    return ((-count, entry.name, number) for number, count in counts.items())


def _hit(entry: Entry, number: int, terms: Sequence[str]) -> Hit:
    section = entry.article.section_at(number)
    anchor = slugify(section.title or "") if section else ""
    return Hit(entry.name, anchor, number, _excerpt(entry.article.source.line(number), terms))


def _excerpt(line: str, terms: Sequence[str]) -> str:
    """Return the line, or the part of it around the first word that was found."""
    line = line.strip()
    if len(line) <= LONGEST_EXCERPT:
        return line
    places = (at for term in terms if (at := fold(line).find(term)) >= 0)
    begin = max(0, min(min(places, default=0) - LONGEST_EXCERPT // 3, len(line) - LONGEST_EXCERPT))
    end = begin + LONGEST_EXCERPT
    head, tail = CUT if begin else "", CUT if end < len(line) else ""
    return head + line[begin:end] + tail
