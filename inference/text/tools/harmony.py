"""Harmony, as gpt-oss models write: an answer is messages, and a call is one to a recipient.

    <|start|>assistant<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>
    {"KEY": VALUE}<|call|>
    <|start|>assistant to=functions.NAME<|channel|>commentary json<|message|>
    {"KEY": VALUE}<|call|>

All markers are special tokens. The prompt ends with the first message's `<|start|>assistant`.
"""

import re
from dataclasses import dataclass

from inference.text.tools.base import Opening, Rejected, Steps, ToolFormat
from inference.text.tools.envelope import arguments_of, call_for, repairs_at
from inference.text.tools.quoted import Quote, QuotedText
from inference.text.tools.schema import ToolSchemas
from inference.text.tools.source import Literals, Reading, Source

START, CHANNEL, MESSAGE = "<|start|>", "<|channel|>", "<|message|>"
RECIPIENT = "to="
ENDS = Literals("<|end|>", "<|return|>", "<|call|>")
_CONSTRAIN = "<|constrain|>"

# The body of a call, in which a marker within a string is data.
BODY = QuotedText((*ENDS.texts, START, CHANNEL), (Quote('"', '"', has_escapes=True),))

_PLAIN = tuple(
    f"{turn}{CHANNEL}{channel}{MESSAGE}"
    for turn in ("", f"{START}assistant")
    for channel in ("analysis", "commentary", "final")
)
_HEADER = re.compile(
    r"(?:<\|start\|>)?\s*+(?:assistant)?\s*+(?:to=(?P<first>[^\s<]+)\s*)?"
    r"(?:<\|channel\|>\s*(?P<channel>analysis|commentary|final)"
    r"(?:\s+to=(?P<second>[^\s<]+))?"
    r"(?:\s*<\|constrain\|>\s*[\w/+.-]*|\s+(?:json|code))?"
    r"(?:\s+to=(?P<third>[^\s<]+))?\s*)?<\|message\|>"
)
_HEADER_ENDS = Literals(START, CHANNEL, MESSAGE, *ENDS.texts)
# Characters before the channel, and behind it; with more, it is no header.
_MAX_HEADER = 256
_TO_THE_USER = ("user", "all")


@dataclass(frozen=True, slots=True)
class Header:
    """What stands before the body of a message.

    channel, recipient: empty for none; what goes to the user has no recipient.
    is_markup: False for text that only looked like a header; True for one that was cut off
        before it said anything.
    """

    channel: str
    recipient: str
    is_markup: bool

    @classmethod
    def of(cls, text: str) -> "Header":
        match = _HEADER.fullmatch(text)
        if match is None:
            return cls("", "", is_markup=any(plain.startswith(text) for plain in _PLAIN))
        recipient = match["first"] or match["second"] or match["third"] or ""
        if recipient in _TO_THE_USER:
            recipient = ""
        return cls(match["channel"] or "", recipient, is_markup=True)


def read_header(source: Source) -> Reading[Header]:
    """Take a header from its first marker, or what is behind that, or what was taken for one."""
    text = yield from source.skip(START)
    text += yield from source.until(_HEADER_ENDS, _MAX_HEADER)
    if (yield from source.at(CHANNEL)):
        text += yield from source.skip(CHANNEL)
        text += yield from source.until(_HEADER_ENDS, _MAX_HEADER)
    text += yield from source.skip(MESSAGE)
    return Header.of(text)


def _read(source: Source, tools: ToolSchemas) -> Steps:
    name = (yield from read_header(source)).recipient
    if not tools.declares(name):
        name = name.removeprefix("functions.")
    if name not in tools:
        return
    body = yield from BODY.read(source)
    arguments = arguments_of(body, repairs_at(source))
    yield from source.skip(ENDS)
    yield call_for(name, arguments, tools) or Rejected()


FORMAT = ToolFormat(
    name="harmony",
    openings=(Opening(START, _read), Opening(CHANNEL, _read)),
    unwrapped=(Opening(RECIPIENT, _read),),
    markers=(MESSAGE, _CONSTRAIN, *ENDS.texts),
)
