"""What a model is asked: short instructions, and the material they are about.

The two are kept apart so that an answer which repeats its instructions can be told.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from inference.constraint import Choice, Constraint

SHORT, SENTENCES, SECTION = 16, 160, 512
"""Tokens that an answer may have: a word, a few sentences, a section."""
YES_OR_NO = Choice(("yes", "no"))


@dataclass(frozen=True, slots=True)
class Question:
    """stage: names the adapter `memory-<stage>` that answers, where one is mounted.

    policy: a page of `Meta/` whose points the model is told as well.
    form: what the answer is held to, where the server can; its reader must do without.
    """

    stage: str
    instructions: str
    material: str
    max_tokens: int = SENTENCES
    policy: str = ""
    form: Constraint | None = None

    @property
    def prompt(self) -> str:
        return f"{self.instructions}\n\n{self.material}"


def yes_or_no(stage: str, instructions: str, material: str) -> Question:
    return Question(stage, instructions, material, SHORT, form=YES_OR_NO)


Ask = Callable[[Sequence[Question]], list[str]]
"""Answers questions, in their order. Raises NoModel, Stopped."""


def one_by_one(answer: Callable[[str], str]) -> Ask:
    """Ask each prompt by itself."""
    return lambda questions: [answer(question.prompt) for question in questions]


def says_yes(answer: str) -> bool:
    """Whether an answer begins with a yes; anything else is a no."""
    words = answer.strip().lstrip("*\"'#- ").split(maxsplit=1)
    return bool(words) and words[0].strip(".,:;!*\"'").casefold() == "yes"
