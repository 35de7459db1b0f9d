"""Calls written as tags, one for each argument, with the value as plain text between two.

Values are not escaped, so a closing tag within one is told from the real one by what follows:
it closes the value only where markup goes on behind it, or the text ends.
"""

import re
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from xml.sax.saxutils import unescape

from inference.text.tools.base import ParsedCall, Rejected, Steps
from inference.text.tools.quoted import Quote
from inference.text.tools.schema import ToolSchemas
from inference.text.tools.source import Literals, Reading, Source

CallSteps = Generator[ParsedCall | Rejected | None, None, bool]

_WORD = re.compile(r"\w*")
_SAYS_TEXT = re.compile(r"""\b(?:type=["']string["']|string=["']true["'])""")
_ENTITIES = {"&quot;": '"', "&apos;": "'"}


@dataclass(frozen=True, slots=True)
class Tag:
    """An opening tag.

    head: what may stand between `start` and the first of `ends`, as single characters.
    ends: literals that follow, each of which models forget at times.
    attribute: the attribute that holds the name; by default the head is the name.
    """

    start: str
    head: re.Pattern[str] = re.compile(r"[^<>]*")
    ends: tuple[str, ...] = (">",)
    attribute: str = ""

    def read_head(self, source: Source) -> Reading[str]:
        """Take what follows `start`; return the head."""
        yield from source.space()
        head = ""
        if self.attribute:
            head = yield from source.run(_WORD)
            if not (yield from source.at("=")):
                return ""  # prose that only looks like a tag
        head += yield from source.run(self.head)
        for end in self.ends:
            yield from source.space()
            yield from source.skip(end)
        return head

    def name_in(self, head: str) -> str:
        if not self.attribute:
            return head.strip()
        value = rf"""\b{self.attribute}\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))"""
        match = re.search(value, head)
        return unescape(next(filter(None, match.groups()), "") if match else "", _ENTITIES)


@dataclass(frozen=True)
class TagGrammar:
    """The tags of one format, from the outside in.

    block_start, block_end: around all calls of an answer, or around each; empty for none.
    verbatim: marks within a value where tags are text.
    decode: turns what stands between the tags of an argument into its text.
    """

    call: Tag
    call_end: str
    argument: Tag
    argument_end: str
    block_start: str = ""
    block_end: str = ""
    verbatim: Quote | None = None
    decode: Callable[[str], str] = str

    @cached_property
    def value_stops(self) -> Literals:
        verbatim = [self.verbatim.start] if self.verbatim else []
        return Literals(self.argument_end, self.call_end, *verbatim)

    @cached_property
    def after_value(self) -> Literals:
        return Literals(self.argument.start, self.call_end)

    @cached_property
    def after_argument(self) -> Literals:
        ends = filter(None, (self.block_end, self.block_start))
        return Literals(self.argument.start, self.call_end, self.call.start, *ends)

    @cached_property
    def after_call(self) -> Literals:
        return Literals(*filter(None, (self.block_start, self.call.start)))


def read_block(grammar: TagGrammar, source: Source, tools: ToolSchemas) -> Steps:
    """Read the calls behind the start of a block, to its end."""
    is_open = True
    while is_open:
        yield from source.space()
        if not (yield from source.skip(grammar.call.start)):
            return
        is_open = yield from read_call(grammar, source, tools)


def read_call(grammar: TagGrammar, source: Source, tools: ToolSchemas) -> CallSteps:
    """Read the call behind the start of its tag; return whether its block may hold another."""
    head = yield from grammar.call.read_head(source)
    return (yield from read_arguments(grammar, grammar.call.name_in(head), source, tools))


def read_arguments(grammar: TagGrammar, name: str, source: Source, tools: ToolSchemas) -> CallSteps:
    """Read a call from its first argument on; return whether its block may hold another."""
    arguments: dict[str, Any] = {}
    while True:
        yield from source.space()
        found = yield from source.at(grammar.after_argument)
        if found != grammar.argument.start:
            break
        yield from source.take(len(found))
        head = yield from grammar.argument.read_head(source)
        if source.exhausted:
            break  # an argument without a value
        key = grammar.argument.name_in(head)
        if not key:
            return False
        text = grammar.decode((yield from _read_value(grammar, source)))
        is_text = _SAYS_TEXT.search(head) is not None
        arguments[key] = text if is_text else tools.read_text(name, key, text)
    if not found and not source.exhausted:
        return False
    yield from source.skip(grammar.call_end)
    is_open = bool(grammar.block_end) and not (yield from skip_block_end(grammar, source))
    yield ParsedCall(name, arguments) if name in tools else Rejected()
    return is_open


def skip_block_end(grammar: TagGrammar, source: Source) -> Reading[str]:
    """Take space and the end of a block; return what was taken of that."""
    yield from source.space()
    return (yield from source.skip(grammar.block_end))


def _read_value(grammar: TagGrammar, source: Source) -> Reading[str]:
    pieces: list[str] = []
    while True:
        pieces.append((yield from source.until(grammar.value_stops)))
        found = source.here(grammar.value_stops)
        if not found:
            value = "".join(pieces)
            return value[: len(value) - grammar.value_stops.begun(value)]
        if grammar.verbatim and found == grammar.verbatim.start:
            verbatim, _is_whole = yield from grammar.verbatim.read(source, grammar.verbatim.stops())
            pieces.append(verbatim)
            continue
        taken, is_end = yield from _try_closer(grammar, source, found)
        if is_end:
            return "".join(pieces)
        pieces.append(taken)


def _try_closer(grammar: TagGrammar, source: Source, closer: str) -> Reading[tuple[str, bool]]:
    """Take a closing tag within a value, if it ends it; return what was taken, and whether.

    Where tags in between are missing, the value ends at tags that end the call, if another
    call or the end of the text follows them.
    """
    taken = yield from source.take(len(closer))
    taken += yield from source.space()
    is_argument_end = closer == grammar.argument_end
    if is_argument_end and ((yield from source.at(grammar.after_value)) or source.exhausted):
        return taken, True
    is_block_end = False
    if grammar.block_end:
        end = yield from source.skip(grammar.block_end)
        is_block_end = bool(end)
        taken += end + (yield from source.space())
    if is_block_end or not is_argument_end:
        follows = yield from source.at(grammar.after_call)
        if follows or source.exhausted:
            source.put_back(taken)
            if is_argument_end:
                yield from source.take(len(closer))
            return closer, True
    return taken, False
