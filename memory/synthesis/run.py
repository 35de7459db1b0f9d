"""One run: what all stages work with."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from memory.synthesis import events
from memory.synthesis.pages import Pages
from memory.synthesis.question import Ask, Question


@dataclass(slots=True)
class Run:
    """Thread: the run's own, all of it.

    pages: the vault's files. pause: called between any two steps; raises to end the run there.
    changes: how many files were written. problems: how many drafts were given up.
    """

    pages: Pages
    ask_all: Ask
    tell: events.Tell
    pause: Callable[[], None] = lambda: None
    changes: int = 0
    problems: int = 0

    def ask(self, question: Question) -> str:
        """Ask one question. Raises NoModel, Stopped."""
        return self.answers([question])[0]

    def answers(self, questions: list[Question]) -> list[str]:
        self.pause()
        return self.ask_all([self.briefed(question) for question in questions])

    def briefed(self, question: Question) -> Question:
        """Return a question with what the user's policy says added to its instructions."""
        points = self.pages.brief(question.policy) if question.policy else ""
        instructions = f"{question.instructions}\n{points}" if points else question.instructions
        return replace(question, instructions=instructions, policy="")

    def log(self, message: str) -> None:
        self.tell(events.log(message))
