"""Infoboxes: the model fills in fields, and code keeps what the article itself says."""

import re

from memory.article.article import Article
from memory.article.edits import set_infobox_field
from memory.article.infobox import ALIASES, EntityKind
from memory.synthesis.parts import facts_of
from memory.synthesis.question import Question
from memory.synthesis.run import Run

POLICY = "Infobox_Schemas"
MOST_FIELDS = 6
MAX_TOKENS = 96
_FIELD = re.compile(r"^\W*([A-Za-z][A-Za-z _-]{1,24}?)\s*:\s*(\S.*)$")
_TYPE = re.compile(r"[^\W\d_]+(?:[ -][^\W\d_]+){0,2}")
_LABELS = frozenset({"kind", "type", ALIASES})  # these no text says in so many words
_EMPTY = frozenset({"unknown", "none", "n/a", "not specified", "not mentioned", "-"})

INSTRUCTIONS = (
    "Fill in a short table about the subject below, one line for each field: the name of the "
    "field, a colon, and its value. The first field is kind, and its value is one of "
    f"{', '.join(EntityKind)}. The second is type, in one to three words. Then add at most four "
    "fields with facts that the text says in these very words."
)


def ask_infobox(run: Run, stage: str, article: Article, text: str) -> Article:
    """Return the article with fields that `text` bears out.

    A known field stays as long as the article says its value somewhere. The infobox must be ours.
    """
    material = f"Subject: {article.title}\nText: {text}"
    answer = run.ask(Question(stage, INSTRUCTIONS, material, MAX_TOKENS, POLICY))
    said = _folded(facts_of(article))
    for key, value in read_fields(answer, text).items():
        known = article.infobox.get(key) if article.infobox else None
        if known is None or (key not in _LABELS and _folded(known.value) not in said):
            article = set_infobox_field(article, key, value)
    if article.infobox is None or article.infobox.get("kind") is None:
        article = set_infobox_field(article, "kind", EntityKind.THING)
    return article


def read_fields(answer: str, text: str) -> dict[str, str]:
    """Return the fields of an answer, by key in lower case; facts are those that `text` says."""
    folded = _folded(text)
    fields: dict[str, str] = {}
    for line in answer.splitlines():
        match = _FIELD.match(line)
        if match is None:
            continue
        key, value = match[1].strip().casefold(), " ".join(match[2].strip(' *`"').split())
        if key in fields or value.casefold().rstrip(".") in _EMPTY or len(value) > 80:
            continue
        if key == "kind":
            if value.casefold() in set(EntityKind):
                fields[key] = value.casefold()
        elif key == "type":
            if _TYPE.fullmatch(value):
                fields[key] = value.casefold()
        elif value.casefold() in folded and not re.search(r"[\[\]`|{}<>]", value):
            fields[key] = value
    return dict(list(fields.items())[:MOST_FIELDS])


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
