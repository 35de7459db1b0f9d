"""Categories: the model chooses among those that the user's page defines."""

from memory.article.article import Article
from memory.article.edits import set_categories
from memory.synthesis.choices import list_choices, read_choices
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
    listed = list_choices(defined)
    material = f"Categories:\n{listed}\n\nSubject: {article.title}\nText: {text}"
    answer = run.ask(Question(stage, INSTRUCTIONS, material, MAX_TOKENS))
    chosen = read_choices(answer, defined, MOST)
    return set_categories(article, chosen) if chosen else article
