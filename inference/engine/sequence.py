"""The engine's view of one request: token ids in, token ids out, and how far it has got."""

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Protocol

from inference.events import FinishReason
from inference.request import SamplingParams
from inference.trace import Trace

if TYPE_CHECKING:
    from inference.engine.plan import TokenScores


class TokenMatcher(Protocol):
    """The place of one sequence in what constrains it. Thread: engine only, once submitted.

    is_done: nothing but a stop token can follow, so the answer ends here.
    failure: why the sequence should be failed, once a step has gone wrong.
    """

    @property
    def is_done(self) -> bool: ...

    @property
    def failure(self) -> str | None: ...

    def fill(self, row: Any) -> None:
        """Write the mask of the next token into `row`, (words,) int32; a bit set is allowed."""

    def accept(self, token: int) -> bool:
        """Go on by one token; False, and no move, if it is not allowed."""


class SequenceStatus(Enum):
    WAITING = auto()  # in the queue; holds nothing
    PREFILLING = auto()  # its prompt is being computed, chunk by chunk
    RUNNING = auto()  # one token a step
    FINISHED = auto()  # ended, for whatever reason; its cache is given back


@dataclass(eq=False, slots=True)
class Sequence:
    """State of one completion. Owned by the engine thread once submitted.

    The last prompt token is never prefilled: its forward pass is the first decode step,
    so a sequence is ready to run when `num_computed == num_prompt - 1`.

    prompt: token ids, at least one.
    max_tokens: most tokens to generate, at least one.
    serial: whether it must have the engine for itself.
    logprobs: alternatives to report for each token; None reports nothing.
    matcher: what its tokens must satisfy; None for free text. Its next step cannot be
        launched before its last token has been read.
    stable_length: prompt tokens that the next turn of its conversation will share; None
        for all of them.
    namespace: what its keys and values depend on besides its tokens; prefixes are shared within
        one namespace only. Empty for the weights as loaded.
    adapted_model: what its forward passes call in the model's place, until it ends; None for
        the weights as loaded. Whoever has one is serial.
    generation_key: names all that its output depends on, where that is saved as it grows; None
        where it is not.
    trace: where its phases are noted, if anywhere.
    num_computed: prompt tokens whose keys and values are in the cache.
    num_cached: of those, how many came from the prefix cache.
    checkpoints: lengths at which the prompt's computation pauses to keep its cache.
    num_launched: decode steps started; one more than `output` while a step is in flight.
    output: generated token ids read back so far; when it begins, those of an equal sequence
        that was saved.
    scores: of each of them, if asked for.
    is_complete: whether it ended because its answer did.
    shared_steps: whether any of its decode steps had another row in it.
    refusal: what is wrong with a token that its matcher did not take.
    """

    id: str
    prompt: list[int]
    sampling: SamplingParams
    max_tokens: int
    stop_token_ids: frozenset[int] = frozenset()
    serial: bool = False
    logprobs: int | None = None
    matcher: TokenMatcher | None = None
    stable_length: int | None = None
    namespace: str = ""
    adapted_model: Any = None
    generation_key: str | None = None
    trace: Trace | None = None

    status: SequenceStatus = SequenceStatus.WAITING
    num_computed: int = 0
    num_cached: int = 0
    checkpoints: frozenset[int] = frozenset()
    num_launched: int = 0
    output: list[int] = field(default_factory=list)
    scores: "list[TokenScores]" = field(default_factory=list)
    is_complete: bool = False
    shared_steps: bool = False
    refusal: str | None = None

    @property
    def failure(self) -> str | None:
        """Why the sequence cannot go on, if it cannot."""
        return self.refusal or (self.matcher.failure if self.matcher is not None else None)

    @property
    def num_prefill_left(self) -> int:
        return len(self.prompt) - 1 - self.num_computed

    @property
    def num_to_pause(self) -> int:
        """Prompt tokens left to compute up to the next checkpoint, or to the end."""
        ahead = [c - self.num_computed for c in self.checkpoints if c > self.num_computed]
        return min([self.num_prefill_left, *ahead])

    @property
    def num_in_cache(self) -> int:
        """Tokens whose keys and values the cache holds, once all launched steps have run."""
        return self.num_computed + self.num_launched

    def tokens_in_cache(self) -> list[int]:
        """Return the token ids that the cache holds, as far as they have been read back."""
        return (self.prompt + self.output)[: self.num_in_cache]

    def tokens_before_newest(self) -> list[int]:
        """Return the tokens ahead of the input of the step being launched.

        That input may not have been read back yet; all of these have.
        """
        return (self.prompt + self.output)[: len(self.prompt) + self.num_launched - 2]

    def append(self, token: int) -> None:
        """Take in a token that was read back."""
        self.output.append(token)
        if self.matcher is not None and not self.matcher.accept(token):
            self.refusal = f"token {token} was drawn although the answer's grammar forbids it"

    def finish_reason(self) -> FinishReason | None:
        """Tell whether the newest token ends the sequence.

        A stop token counts as a stop also where it fills the token limit exactly.
        """
        if self.output and self.output[-1] in self.stop_token_ids:
            return FinishReason.STOP
        if self.matcher is not None and self.matcher.is_done:
            return FinishReason.STOP
        if len(self.output) >= self.max_tokens:
            return FinishReason.LENGTH
        return None
