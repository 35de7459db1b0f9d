"""What the tests of all formats share: tools, and a parser fed in every way."""

import random
from dataclasses import dataclass, field

import pytest

from inference.text.tools.answer import AnswerParser, ReasoningText
from inference.text.tools.base import Buffering, ParsedCall, Text
from inference.text.tools.schema import ToolSchemas


def schemas(**tools):
    """Tools by name, each given as the properties of its arguments."""
    return ToolSchemas(
        [
            {
                "type": "function",
                "function": {
                    "name": name,
                    "parameters": {"type": "object", "properties": properties},
                },
            }
            for name, properties in tools.items()
        ]
    )


@dataclass
class Answer:
    """What came of one text; `content` and `reasoning` are None for nothing."""

    reasoning: str | None = None
    content: str | None = None
    calls: list = field(default_factory=list)
    markup: list = field(default_factory=list)


def read(pieces, tool_format, tools, splitter=None):
    parser = AnswerParser(splitter=splitter, tool_format=tool_format, tools=tools)
    answer = Answer()
    for event in [e for piece in pieces for e in parser.feed(piece)] + parser.finish():
        match event:
            case Text(text):
                answer.content = (answer.content or "") + text
            case ReasoningText(text):
                answer.reasoning = (answer.reasoning or "") + text
            case ParsedCall(name, arguments, markup):
                answer.calls.append((name, arguments))
                answer.markup.append(markup)
            case Buffering():
                pass
    return answer


def cut(text, places):
    return [text[i:j] for i, j in zip([0, *places], [*places, len(text)], strict=True)]


def feeds(text):
    """The text whole, character by character, and in 50 random splits, always the same."""
    yield [text]
    yield list(text)
    generator = random.Random(text)
    for _ in range(50):
        count = generator.randint(1, 6)
        yield cut(text, sorted(generator.randint(0, len(text)) for _ in range(count)))


@pytest.fixture(name="schemas")
def schemas_fixture():
    return schemas


@pytest.fixture
def parse():
    """Read a text fed in every way; return the answer, the same for all of them."""

    def parse_all(tool_format, text, tools, make_splitter=lambda: None):
        whole, *others = (
            read(pieces, tool_format, tools, make_splitter()) for pieces in feeds(text)
        )
        assert all(other == whole for other in others)
        return whole

    return parse_all


@pytest.fixture
def feed_once():
    return read
