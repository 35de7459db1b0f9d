"""Categories: the model chooses among those that the user's page defines."""

import re

from memory.article.article import Article
from memory.article.edits import set_categories
from memory.synthesis.clip import clip
from memory.synthesis.names import canonical
from memory.synthesis.parts import CATEGORIES, parts_of
from memory.synthesis.question import Question
from memory.synthesis.run import Run

MOST = 3  # categories of an article
MAX_TOKENS = 32
INSTRUCTIONS = (
    "Below are categories, each with what belongs there, and what an article says. Write the names "
    "of the categories that the article belongs to, the best one first, one on a line, and nothing "
    "else. If it belongs to none of them, write NONE."
)


def ask_categories(
    run: Run, stage: str, article: Article, text: str, owned: frozenset[str] = frozenset()
) -> Article:
    """Return the article in the categories that the model chooses for `text`.

    A line of categories that is not ours stays, and so does one for which it finds none.
    """
    defined = run.pages.categories()
    if not defined or (CATEGORIES in parts_of(article) and CATEGORIES not in owned):
        return article
    listed = "\n".join(f"- {name}: {clip(what, 120)}" for name, what in defined.items())
    material = f"Categories:\n{listed}\n\nSubject: {article.title}\nText: {text}"
    chosen = read_categories(run.ask(Question(stage, INSTRUCTIONS, material, MAX_TOKENS)), defined)
    return set_categories(article, chosen) if chosen else article


def read_categories(answer: str, defined: dict[str, str]) -> list[str]:
    """Return the names of an answer that are among the defined ones, as these are spelt."""
    by_key = {canonical(name): name for name in defined}
    told = (canonical(part.partition(":")[0]) for part in re.split(r"[\n,;]", answer))
    return list(dict.fromkeys(by_key[key] for key in told if key in by_key))[:MOST]
