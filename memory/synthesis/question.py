"""What a model is asked: short instructions, and the material they are about.

The two are kept apart so that an answer which repeats its instructions can be told.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

SHORT, SENTENCES, SECTION = 16, 160, 512
"""Tokens that an answer may have: a word, a few sentences, a section."""


@dataclass(frozen=True, slots=True)
class Question:
    """stage: names the adapter `memory-<stage>` that answers, where one is mounted.

    policy: a page of `Meta/` whose points the model is told as well.
    """

    stage: str
    instructions: str
    material: str
    max_tokens: int = SENTENCES
    policy: str = ""

    @property
    def prompt(self) -> str:
        return f"{self.instructions}\n\n{self.material}"


Ask = Callable[[Sequence[Question]], list[str]]
"""Answers questions, in their order. Raises NoModel, Stopped."""


def one_by_one(answer: Callable[[str], str]) -> Ask:
    """Ask each prompt by itself."""
    return lambda questions: [answer(question.prompt) for question in questions]


def says_yes(answer: str) -> bool:
    """Whether an answer begins with a yes; anything else is a no."""
    words = answer.strip().lstrip("*\"'#- ").split(maxsplit=1)
    return bool(words) and words[0].strip(".,:;!*\"'").casefold() == "yes"
