"""A vault in a folder, conversations in memory, and a model that answers by rules."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.article.article import Article
from memory.config import VaultConfig
from memory.git import Git, Revision
from memory.synthesis.conversations import Said
from memory.synthesis.models import (
    ArticleState,
    ChunkSection,
    Conversation,
    PendingChange,
    Subject,
)
from memory.synthesis.pages import Pages
from memory.synthesis.pipeline import synthesize
from memory.synthesis.question import one_by_one
from memory.synthesis.run import Run
from memory.vault import ARTICLES, META, Vault

FIRST_DAY = datetime(2026, 1, 1, 9, tzinfo=UTC)


@dataclass
class Chats:
    """A source whose conversations are lists of texts, the user's first and then in turn."""

    name: str = "chat"
    told: dict[str, list[Said]] = field(default_factory=dict)

    def tell(self, name: str, *texts: str, day: int = 0, keys: str | None = None) -> None:
        at = FIRST_DAY + timedelta(days=day)
        self.told[name] = [
            Said(f"{keys or name}-{n}", ("user", "assistant")[n % 2], text, at)
            for n, text in enumerate(texts)
        ]

    def watermarks(self) -> Mapping[str, str]:
        return {name: str(hash(tuple(said))) for name, said in self.told.items()}

    def read(self, name: str) -> Sequence[Said]:
        return self.told.get(name, [])


class Rules:
    """Answers prompts as a good model would that knows the subjects of `names` alone.

    A message that says `X is Y` tells a fact. Two facts about one subject that both hold
    `runs on` cannot be true together.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.prompts: list[str] = []

    def __call__(self, prompt: str) -> str:
        self.prompts.append(prompt)
        for begin, answer in self._answers().items():
            if prompt.startswith(begin):
                return answer(prompt)
        raise AssertionError(f"nobody knows what to say to: {prompt[:200]}")

    def _answers(self) -> dict[str, Callable[[str], str]]:
        return {
            "The numbered messages": self._segments,
            "Name the things": self._names,
            "Below are two names": lambda prompt: "no",
            "Write a heading": self._heading,
            "Write two to four sentences": self._section,
            "Write one or two sentences": self._lead,
            "Fill in a short table": lambda prompt: "kind: project\ntype: software",
            "Below are buckets": lambda prompt: "making" if "MySQL" in prompt else "NONE",
            "Below are categories": lambda prompt: "Software\nMade up",
            "Below are a section of an article and a conversation. Does": self._belongs,
            "Below are the headings": lambda prompt: "no",
            "Below are a section of an article and a conversation. Write": self._patched,
            "Below is what an article said before": self._changed,
            "Below are the lead": lambda prompt: _between(prompt, "Lead: ", "\nSentences:"),
            "Write the section below again": lambda prompt: prompt.partition("Section:\n")[2],
            "Below is a section of an article. Is it": lambda prompt: "no",
        }

    def _segments(self, prompt: str) -> str:
        numbers = [int(n) for n in re.findall(r"^\[(\d+)\]", prompt, re.M)]
        first = _between(prompt, "user: ", "\n")
        return f"{numbers[0]}-{numbers[-1]}: {' '.join(first.split()[:7])}"

    def _names(self, prompt: str) -> str:
        said = prompt.partition("\n\n")[2]
        return "\n".join(name for name in self.names if name in said) or "NONE"

    def _heading(self, prompt: str) -> str:
        points = prompt.partition("Points:\n")[2]
        return "Platform" if "runs on" in points else "Purpose"

    def _section(self, prompt: str) -> str:
        return _facts(prompt.partition("Conversation:\n")[2])

    def _lead(self, prompt: str) -> str:
        return f"{_between(prompt, 'Subject: ', chr(10))} is a subject of these conversations."

    def _belongs(self, prompt: str) -> str:
        section, _, said = prompt.partition("Conversation:")
        both_run = "runs on" in section and "runs on" in said
        if "cannot be true" in prompt:
            return "yes" if both_run else "no"
        is_lead = "Section: the lead" in prompt
        return "yes" if not is_lead and (both_run or "runs on" not in section + said) else "no"

    def _patched(self, prompt: str) -> str:
        section = _between(prompt, "Section:\n", "\n\nConversation:")
        said = _facts(prompt.partition("Conversation:\n")[2])
        kept = section
        if "newer and right" in prompt:
            kept = " ".join(s for s in re.split(r"(?<=\.) ", section) if "runs on" not in s)
        return f"{kept} {said}".strip()

    def _changed(self, prompt: str) -> str:
        before, now = _between(prompt, "Before: ", "\nNow:"), prompt.partition("Now: ")[2]
        return f"{before.rstrip('.')} was held, until it became that {now}"


def _between(text: str, begin: str, end: str) -> str:
    return text.partition(begin)[2].partition(end)[0]


def _facts(said: str) -> str:
    """What the user said, in sentences."""
    lines = re.findall(r"^user: (.*)$", said, re.M)
    return " ".join(f"{line.rstrip('.')}." for line in lines)


class Memory:
    """A vault, a source, a model, and runs over them."""

    def __init__(self, root: Path, names: Sequence[str] = ()) -> None:
        self.root = root
        self.vault = Vault(VaultConfig(root=root, docs_root=root / "no docs"))
        (root / ARTICLES).mkdir(parents=True, exist_ok=True)
        self.chats = Chats()
        self.rules = Rules(names)
        self.events: list[dict[str, object]] = []

    @property
    def git(self) -> Git:
        return self.vault.git

    def run(self, answer: Callable[[str], str] | None = None, **options: Callable[[], None]) -> Run:
        run = Run(
            Pages(self.vault), one_by_one(answer or self.rules), self.events.append, **options
        )
        synthesize(run, [self.chats])
        return run

    def articles(self) -> dict[str, str]:
        """The text of each article, by stem."""
        folder = self.root / ARTICLES
        return {path.stem: path.read_text() for path in sorted(folder.glob("*.md"))}

    def article(self, stem: str) -> Article:
        return Article(stem, self.articles()[stem])

    def write_policy(self, name: str, text: str) -> None:
        """Write a page that says how articles are made, as a person does."""
        folder = self.root / META
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.md").write_text(text)

    def history(self, stem: str) -> list[Revision]:
        return self.git.history(f"{ARTICLES}/{stem}.md", 100)

    def edit(self, stem: str, old: str, new: str) -> None:
        """Edit a file as a person does."""
        path = self.root / ARTICLES / f"{stem}.md"
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))


@pytest.fixture
def make_memory(
    tmp_path: Path, db: None, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Memory]:
    """Call for a memory of its own, with an empty ledger."""

    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # it would take most of the time

    def make(name: str) -> Memory:
        for table in (Conversation, Subject, ArticleState, PendingChange, ChunkSection):
            table.objects.all().delete()
        return Memory(tmp_path / name)

    return make


@pytest.fixture
def make_run() -> Callable[[Memory, Callable[[str], str]], Run]:
    """Call for a run of a memory, whose stages are to be called one by one."""
    return lambda memory, answer: Run(Pages(memory.vault), one_by_one(answer), memory.events.append)


@pytest.fixture
def memory(make_memory: Callable[[str], Memory]) -> Memory:
    return make_memory("wiki")
