"""A run that ends amid any stage is finished by the next one, as if nothing had happened."""

from contextlib import suppress
from dataclasses import dataclass, field

import pytest

from memory.synthesis.events import STAGES
from memory.synthesis.models import ChunkSection, PendingChange

STORY = (
    {
        "one": "Atlas runs on MySQL for now",
        "two": "Atlas serves the maps of Borealis",
        "three": "Borealis is a group of hikers",
        "four": "Quill is a pen",
    },
    {"five": "Atlas runs on Postgres since May", "six": "Atlas serves seas"},
)
"""What is told before each run."""


class Crash(Exception):
    pass


@dataclass
class Watch:
    """Counts the steps of a run, and ends it at one of them as a crash would."""

    memory: object
    crash_at: int | None = None
    stages: list[str] = field(default_factory=list)

    def __call__(self):
        if len(self.stages) == self.crash_at:
            raise Crash
        told = (event["stage"] for event in self.memory.events if event["type"] == "stage")
        self.stages.append([*told][-1])


def live(memory, crash=None):
    """Tell a story in two parts, with a run after each; returns the stage of each step of both.

    crash: a part and a step of its run, which ends there and is followed by another.
    """
    memory.git.init()
    memory.write_policy("Category_Definitions", "- Software: programs")
    memory.write_policy("Buckets", "- making: what the user makes")
    memory.rules.names = ["Atlas", "Borealis", "Quill"]
    stages = []
    for part, told in enumerate(STORY):
        for day, (name, text) in enumerate(told.items(), 1):
            memory.chats.tell(name, text, "Noted.", day=10 * part + day)
        if crash is not None and crash[0] == part:
            with suppress(Crash):
                memory.run(pause=Watch(memory, crash[1]))
        watch = Watch(memory)
        memory.run(pause=watch)
        stages.append(watch.stages)
        if part == 0:  # a section that is the person's from now on
            memory.edit("Atlas", "Atlas serves the maps", "I say that Atlas serves the maps")
    return stages


def outcome(memory):
    """What is left: all files, what was committed of them and when, and the ledger's word."""
    files = {
        path.relative_to(memory.root).as_posix(): path.read_text()
        for folder in ("articles", "Talk")
        for path in sorted((memory.root / folder).glob("*"))
    }
    subjects = {path: [r.subject for r in memory.git.history(path, 100)] for path in files}
    sections = ChunkSection.objects.order_by("article", "section", "chunk")
    ledger = list(sections.values_list("article", "section", "chunk", "outcome"))
    return files, subjects, memory.git.changed("articles", "Talk"), ledger


@pytest.fixture(scope="module")
def kept():
    return {}


@pytest.fixture
def whole(kept, make_memory):
    """Return the stages of all steps, and the outcome, of runs that nothing ended."""
    if not kept:
        memory = make_memory("whole")
        kept["stages"] = live(memory)
        kept["outcome"] = outcome(memory)
    return kept["stages"], kept["outcome"]


@pytest.mark.parametrize("stage", STAGES)
def test_a_run_that_crashes_amid_a_stage_is_finished_by_the_next(whole, make_memory, stage):
    stages, expected = whole
    part = max(range(len(stages)), key=lambda part: stages[part].count(stage))
    steps = [step for step, of_stage in enumerate(stages[part]) if of_stage == stage]
    crashed = make_memory("crashed")

    live(crashed, (part, steps[len(steps) // 2]))

    assert outcome(crashed) == expected
    assert not PendingChange.objects.exists()


def test_the_story_has_all_that_can_be_told_wrong(whole):
    stages, (files, subjects, uncommitted, ledger) = whole

    assert {stage for part in stages for stage in part} == set(STAGES)
    assert "## History" in files["articles/Atlas.md"]
    assert "Atlas serves seas" in files["Talk/Atlas.md"]
    assert "Keep edits of Atlas" in subjects["articles/Atlas.md"]
    assert uncommitted == []
    assert {outcome for *_, outcome in ledger} == {"written", "noted"}
