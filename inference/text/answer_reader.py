"""From generated token ids to events: the whole way of one answer's text.

token ids -> text -> reasoning, text and calls -> stop strings -> events
"""

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from inference.events import Event, FinishReason, ReasoningDelta, TextDelta, ToolCalled
from inference.request import ChatPrompt, TextPrompt
from inference.text.detokenizer import Detokenizer
from inference.text.harmony import HarmonySplitter
from inference.text.reasoning import (
    HARMONY,
    ReasoningFormat,
    ReasoningSplitter,
    Splitter,
    choose_reasoning,
)
from inference.text.stop import StopMatcher
from inference.text.tokenizer import Tokenizer
from inference.text.tools.answer import AnswerEvent, AnswerParser, ReasoningText
from inference.text.tools.base import ParsedCall, Text, ToolFormat
from inference.text.tools.registry import choose_format
from inference.text.tools.schema import ToolSchemas

# Tokens at the end of a prompt among which a marker that opens reasoning would be.
_TAIL = 32


@dataclass(frozen=True, slots=True)
class AnswerFormat:
    """How a model marks the parts of an answer; chosen once, when it is loaded.

    reasoning: None for a model that marks no reasoning.
    tools: None for a model whose template knows no tools.
    """

    reasoning: ReasoningFormat | None = None
    tools: ToolFormat | None = None

    @classmethod
    def of(cls, tokenizer: Tokenizer, model_type: str) -> "AnswerFormat":
        """Tell the format by the chat template. model_type: as in config.json."""
        template = tokenizer.chat_template
        special_tokens = frozenset(tokenizer.special_tokens.values())
        reasoning = choose_reasoning(template, special_tokens)
        return cls(reasoning, choose_format(template, model_type))

    def shows(self, special_token: str, *, with_tools: bool) -> bool:
        """Tell whether a special token is markup that has to be read."""
        in_reasoning = self.reasoning is not None and self.reasoning.shows(special_token)
        in_calls = with_tools and self.tools is not None and self.tools.shows(special_token)
        return in_reasoning or in_calls


class AnswerReader:
    """Reads one answer, token by token; the same events however the tokens come.

    stop_string: the stop string that ended the answer, once one has.
    reasoning_tokens: how many of its tokens were reasoning.
    """

    def __init__(
        self,
        *,
        detokenizer: Detokenizer,
        stop_token_ids: frozenset[int],
        stop: Sequence[str],
        splitter: Splitter | None = None,
        parser: AnswerParser | None = None,
    ) -> None:
        """splitter: the one within `parser`; only asked where it is."""
        self.reasoning_tokens = 0
        self._splitter = splitter
        self._detokenizer = detokenizer
        self._stop_token_ids = stop_token_ids
        self._stops = StopMatcher(stop)
        self._parser = parser
        self._num_calls = 0
        self._is_cut = False

    @property
    def in_reasoning(self) -> bool:
        """Whether what comes next is reasoning."""
        return self._splitter is not None and self._splitter.is_reasoning

    @property
    def stop_string(self) -> str | None:
        return self._stops.matched

    def add(self, token_id: int) -> list[Event]:
        """Return what became certain with one more token; nothing for a stop token."""
        if self.in_reasoning:
            self.reasoning_tokens += 1
        if token_id in self._stop_token_ids:
            return []
        text = self._detokenizer.add((token_id,))
        if self._parser is None:
            return self._show([Text(text)] if text else [])
        return self._show(self._parser.feed(text) if text else [])

    def finish(self, reason: FinishReason) -> list[Event]:
        """Return what is left, now that the engine has ended the answer for this reason."""
        text = self._detokenizer.finish()
        parsed: list[AnswerEvent] = [Text(text)] if text else []
        if self._parser is not None:
            parsed = self._parser.feed(text) if text else []
            rest = self._parser.finish()
            # A call that the end completed is shown as one, but it does not end the answer.
            self._is_cut = reason is FinishReason.LENGTH and bool(rest)
            parsed += rest
        events = self._show(parsed)
        if self.stop_string is None and (held := self._stops.finish()):
            events.append(TextDelta(held))
        return events

    def reason(self, reason: FinishReason) -> FinishReason:
        """Return why the answer ended, given why the engine ended it."""
        if self.stop_string is not None:
            return FinishReason.STOP
        if self._num_calls and not self._is_cut:
            return FinishReason.TOOL_CALLS
        return reason

    def _show(self, parsed: Iterable[AnswerEvent]) -> list[Event]:
        events: list[Event] = []
        for piece in parsed:
            if self.stop_string is not None:
                break
            match piece:
                case Text(text):
                    if shown := self._stops.add(text):
                        events.append(TextDelta(shown))
                case ReasoningText(text):
                    events.append(ReasoningDelta(text))
                case ParsedCall():
                    # No stop string goes on beyond a call.
                    if held := self._stops.finish():
                        events.append(TextDelta(held))
                    self._num_calls += 1
                    call_id = secrets.token_hex(12)
                    events.append(ToolCalled(call_id, piece.name, piece.arguments_json))
        return events


class AnswerReaders:
    """Makes the readers of one model's answers. Safe to use from several threads."""

    def __init__(self, tokenizer: Tokenizer, answer_format: AnswerFormat) -> None:
        self._tokenizer = tokenizer
        self._format = answer_format
        self._tables = {
            with_tools: _spelling_out(tokenizer, answer_format, with_tools=with_tools)
            for with_tools in (False, True)
        }

    def make(
        self, prompt: ChatPrompt | TextPrompt, token_ids: Sequence[int], stop: Sequence[str]
    ) -> AnswerReader:
        """Make a reader for the answer to a prompt, of which `token_ids` are the tokens."""
        if isinstance(prompt, TextPrompt):
            # Raw text stays raw.
            return self._reader(self._tokenizer.token_bytes, stop)
        tools = self._format.tools if prompt.tools or prompt.any_call else None
        splitter = self._splitter(token_ids)
        if splitter is None and tools is None:
            return self._reader(self._tokenizer.token_bytes, stop)
        schemas = ToolSchemas(prompt.tools, any_name=prompt.any_call)
        parser = AnswerParser(splitter=splitter, tool_format=tools, tools=schemas)
        return self._reader(self._tables[tools is not None], stop, splitter=splitter, parser=parser)

    def opening(self, prompt_ids: Sequence[int], *, thinking: bool | None) -> str:
        """Return what has to stand behind a prompt before a constrained answer can begin.

        That opens reasoning, unless it is open; or the answer, where it has a header.
        thinking: None leaves it to the model.
        """
        splitter, reasoning = self._splitter(prompt_ids), self._format.reasoning
        if splitter is None or reasoning is None or splitter.is_reasoning:
            return ""
        thinks = bool(reasoning.answer) if thinking is None else thinking
        return reasoning.opening if thinks else reasoning.answer

    def _reader(
        self, token_bytes: Sequence[bytes], stop: Sequence[str], **parts: Any
    ) -> AnswerReader:
        strips = self._tokenizer.strips_leading_space
        return AnswerReader(
            detokenizer=Detokenizer(token_bytes, strips_leading_space=strips),
            stop_token_ids=self._tokenizer.stop_token_ids,
            stop=stop,
            **parts,
        )

    def _splitter(self, prompt_ids: Sequence[int]) -> Splitter | None:
        reasoning = self._format.reasoning
        if reasoning is None:
            return None
        table = self._tables[False]
        tail = b"".join(table[i] for i in prompt_ids[-_TAIL:] if i < len(table))
        is_open = reasoning.is_open_after(tail.decode("utf-8", "replace"))
        if reasoning is HARMONY:
            return HarmonySplitter(is_open=is_open)
        return ReasoningSplitter(reasoning, is_open=is_open)


def _spelling_out(
    tokenizer: Tokenizer, answer_format: AnswerFormat, *, with_tools: bool
) -> Sequence[bytes]:
    """Return the bytes of each token, of special tokens too where they are markup."""
    table = list(tokenizer.token_bytes)
    for token_id, spelling in tokenizer.special_tokens.items():
        if token_id < len(table) and answer_format.shows(spelling, with_tools=with_tools):
            table[token_id] = spelling.encode()
    return table
