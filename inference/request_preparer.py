"""Does what a request needs before the engine hears of it: prompt, grammar, reader."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from inference.constraining import Constrainer, effective_constraint, instructed
from inference.constraint import GrammarNotEnforced
from inference.defaults import RequestDefaults
from inference.engine.sequence import TokenMatcher
from inference.request import ChatPrompt, GenerationRequest, TextPrompt
from inference.text.answer_reader import AnswerFormat, AnswerReader, AnswerReaders
from inference.text.call_memory import CallMemory
from inference.text.prompt import TokenizedPrompt, build_prompt
from inference.text.tokenizer import Tokenizer
from inference.text.tools import json_tags


@dataclass(frozen=True, slots=True)
class PreparedRequest:
    """A request as far as it can be without the engine.

    matcher: holds the answer to its constraint; None for free text.
    warnings: what was asked for and will not be enforced, a sentence each.
    """

    prompt: TokenizedPrompt
    reader: AnswerReader
    matcher: TokenMatcher | None = None
    warnings: tuple[str, ...] = ()


class RequestPreparer:
    """One for each model. Thread: any but the event loop's.

    calls: the model's own calls, remembered.
    find_stable: whether it pays to know what a conversation's next turn repeats.
    """

    def __init__(
        self,
        *,
        tokenizer: Tokenizer,
        answer_format: AnswerFormat,
        defaults: RequestDefaults,
        constrainer: Constrainer,
        find_stable: bool,
    ) -> None:
        self.calls = CallMemory()
        self._tokenizer = tokenizer
        self._defaults = defaults
        self._constrainer = constrainer
        self._find_stable = find_stable
        self._readers = AnswerReaders(tokenizer, answer_format)
        # Calls that a grammar enforces are plain JSON.
        self._json_readers = AnswerReaders(
            tokenizer, replace(answer_format, tools=json_tags.FORMAT)
        )

    def prepare(self, request: GenerationRequest) -> PreparedRequest:
        """Raises InvalidRequest for a conversation that the template refuses."""
        constraint = effective_constraint(request)
        if constraint is None:
            prompt = self.build(request.prompt)
            reader = self._readers.make(request.prompt, prompt.token_ids, request.stop)
            return PreparedRequest(prompt, reader)
        outcome = self._constrainer.compile(constraint)
        if isinstance(outcome, GrammarNotEnforced):
            return self._unenforced(request, outcome.reason)
        prompt = self._opened(request.prompt, self.build(request.prompt))
        readers = self._json_readers if constraint != request.constraint else self._readers
        reader = readers.make(request.prompt, prompt.token_ids, request.stop)
        matcher = outcome.matcher(in_reasoning=reader.in_reasoning)
        warnings = () if outcome.shortfall is None else (outcome.shortfall.reason,)
        return PreparedRequest(prompt, reader, matcher, warnings)

    def build(self, prompt: ChatPrompt | TextPrompt) -> TokenizedPrompt:
        """Return a prompt's tokens, as its answer is made from."""
        if isinstance(prompt, ChatPrompt):
            prompt = self.calls.restore(self._defaults.complete(prompt))
        return build_prompt(self._tokenizer, prompt, find_stable=self._find_stable)

    def _unenforced(self, request: GenerationRequest, reason: str) -> PreparedRequest:
        prompt = request.prompt
        if isinstance(prompt, ChatPrompt) and request.constraint is not None:
            prompt = instructed(prompt, request.constraint)
        built = self.build(prompt)
        reader = self._readers.make(prompt, built.token_ids, request.stop)
        return PreparedRequest(built, reader, warnings=(reason,))

    def _opened(self, prompt: ChatPrompt | TextPrompt, built: TokenizedPrompt) -> TokenizedPrompt:
        """Open the reasoning that a model would open itself, since a grammar is not to forbid it.

        Where nobody says whether to think, the grammar holds from the first token, unless the
        model always thinks.
        """
        if isinstance(prompt, TextPrompt):
            return built
        thinking = self._defaults.decide_thinking(prompt)
        opening = self._readers.opening(built.token_ids, thinking=thinking)
        if not opening:
            return built
        extra: Sequence[int] = self._tokenizer.encode(opening, add_special_tokens=False)
        return replace(built, token_ids=[*built.token_ids, *extra])
