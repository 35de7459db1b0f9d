"""The section History: what was held before, and since when it is otherwise."""

from memory.article.article import Article
from memory.article.edits import add_section, replace_section
from memory.article.footnotes import marker
from memory.synthesis.citing import cite_all
from memory.synthesis.clip import clip
from memory.synthesis.drafts import draft
from memory.synthesis.models import Chunk
from memory.synthesis.parts import HISTORY
from memory.synthesis.question import Question
from memory.synthesis.run import Run

MAX_TOKENS = 64
CHANGED = (
    "Below is what an article said before and what it says now. Write one sentence that tells what "
    "was held before and what replaced it."
)


def add_history(
    run: Run, article: Article, *, before: str, now: str, chunk: Chunk, label: str
) -> Article:
    """Note a change with its date; where the model finds no sentence for it, in plain terms."""
    material = f"Before: {clip(before, 800)}\nNow: {clip(now, 800)}"
    sentence = draft(run, Question("patch", CHANGED, material, MAX_TOKENS))
    # Whatever the model made of it, what was said before is not lost.
    sentence = " ".join((sentence or f"{chunk.label}; before: {clip(before, 200)}").split())
    line = f"- {chunk.at.date().isoformat()}: {cite_all(sentence, [label])}"
    section = article.section(HISTORY)
    if section is None:
        return add_section(article, HISTORY, line)
    body = article.body_of(section).partition("\n")[2].strip()
    if marker(label) in body:
        return article
    return replace_section(article, HISTORY, f"{body}\n{line}")
