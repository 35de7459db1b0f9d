"""Segment: the model cuts a conversation into ranges of messages, each on one topic.

It sees a window of numbered messages at a time and answers with a line for each range. What
it gets wrong about the borders is mended; an answer with no range in it leaves the window to a
later run.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max

from inference.constraint import Regex
from memory.synthesis import events
from memory.synthesis.clip import clip
from memory.synthesis.models import Chunk, Conversation, Message
from memory.synthesis.question import SENTENCES, Question
from memory.synthesis.run import Run

WINDOW = 12  # messages
MESSAGE_CHARACTERS = 500
LABEL_WORDS = 10

INSTRUCTIONS = (
    "The numbered messages below are part of a conversation. Group them into ranges, each about "
    "one topic. Write one line for every range, and nothing else: the first number, a hyphen, the "
    "last number, a colon, and then four to ten words that say what was said in it."
)
_LINE = re.compile(
    r"^\W*(\d{1,6})(?:\s*(?:[-\u2013\u2014]|to)\s*(\d{1,6}))?\s*(?:\]\s*)?[:.)]\s*(.+)$"
)
# What would mean something in the footnote that a label becomes.
_MARKUP = re.compile(r"[\[\]<>{}`|*_]")


@dataclass(frozen=True, slots=True)
class Range:
    """Messages of a window from `start` to `end`, counted from 1, and what they are about."""

    start: int
    end: int
    label: str


def plan() -> str:
    waiting = sum(1 for each in Conversation.objects.all() if _window(each))
    return f"{events.count(waiting, 'conversation')} to cut into topics"


def segment(run: Run) -> None:
    run.tell(events.stage("segment", plan()))
    made = 0
    for conversation in Conversation.objects.all():
        while window := _window(conversation):
            ranges = parse(run.ask(question(window)), len(window))
            if not ranges:
                run.problems += 1
                run.log(f"{conversation.id}: no topics were told; the next run asks again")
                break
            run.pause()
            _keep(conversation, ranges, window)
            made += len(ranges)
    run.log(f"made: {events.count(made, 'chunk')}")


def question(window: Sequence[Message]) -> Question:
    lines = [
        f"[{number}] {message.role}: {clip(message.text, MESSAGE_CHARACTERS)}"
        for number, message in enumerate(window, 1)
    ]
    material, form = "\n".join(lines), _form(len(window))
    return Question("segment", INSTRUCTIONS, material, SENTENCES, "Chunking", form)


def _form(count: int) -> Regex:
    """What an answer on so many messages looks like."""
    number = f"({'|'.join(map(str, range(1, count + 1)))})"
    line = rf"{number}-{number}: [^\n]{{8,80}}"
    return Regex(rf"({line}\n){{0,{count - 1}}}{line}")


def parse(answer: str, count: int) -> list[Range]:
    """Return ranges that cover `count` messages without overlap; none if no line tells one."""
    told: list[Range] = []
    for line in answer.splitlines():
        match = _LINE.match(line)
        if match is None:
            continue
        start, end = int(match[1]), int(match[2] or match[1])
        label = " ".join(_MARKUP.sub(" ", match[3]).strip(" .\"'").split()[:LABEL_WORDS])[:120]
        if label and start <= end and start <= count and end >= 1:
            told.append(Range(max(start, 1), min(end, count), label))
    return _repaired(sorted(told, key=lambda each: each.start), count)


def _repaired(told: Sequence[Range], count: int) -> list[Range]:
    """Each range reaches to where the next one begins; of two with one beginning, the first."""
    begins: list[Range] = []
    for each in told:
        if not begins or each.start > begins[-1].start:
            begins.append(each)
    starts = [1, *(each.start for each in begins[1:])]
    ends = [*(start - 1 for start in starts[1:]), count]
    return [
        Range(start, end, each.label)
        for start, end, each in zip(starts, ends, begins, strict=False)
    ]


def _window(conversation: Conversation) -> list[Message]:
    """Return the next messages that no chunk covers, without those that an older one told."""
    done = conversation.chunks.aggregate(last=Max("end"))["last"]
    left = conversation.messages.filter(is_copy=False)
    if done is not None:
        left = left.filter(position__gt=done)
    return list(left[:WINDOW])


@transaction.atomic
def _keep(conversation: Conversation, ranges: Sequence[Range], window: Sequence[Message]) -> None:
    for each in ranges:
        first, last = window[each.start - 1], window[each.end - 1]
        Chunk.objects.create(
            id=f"{conversation.id}:{first.position}-{last.position}",
            conversation=conversation,
            start=first.position,
            end=last.position,
            label=each.label,
            at=first.at,
        )
