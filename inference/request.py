"""The one request type between the protocols and the engine.

A `GenerationRequest` is complete and in range: whoever holds one never asks again whether
a field is present. It says nothing of streaming, headers, users or protocols.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any

from inference.constraint import Constraint
from inference.messages import Message
from inference.transfer_curve import TransferCurve


class CallPolicy(StrEnum):
    """Whether the model calls tools."""

    AUTO = "auto"  # as it likes
    REQUIRED = "required"  # at least one


@dataclass(frozen=True, slots=True)
class ToolChoice:
    """Which tools are called. `name` restricts a required call to one tool."""

    policy: CallPolicy = CallPolicy.AUTO
    name: str | None = None


@dataclass(frozen=True, slots=True)
class ChatPrompt:
    """A conversation, still to be rendered by the model's chat template.

    tools: what the model may call, each `{"type": "function", "function": {…}}` as the caller
        described it; empty for none.
    template_options: further values for the template, as the caller sent them.
    thinking: whether the model reasons before it answers; None takes the server's default.
    effort: how deeply, one of `minimal`, `low`, `medium`, `high`, `xhigh`; None when not said.
    any_call: whether calls of tools that there are not are told as calls too, for a caller who
        answers them; else they are text.
    """

    messages: tuple[Message, ...]
    tools: tuple[Mapping[str, Any], ...] = ()
    template_options: Mapping[str, Any] = field(default_factory=dict)
    tool_choice: ToolChoice = ToolChoice()
    thinking: bool | None = None
    effort: str | None = None
    any_call: bool = False


@dataclass(frozen=True, slots=True)
class TextPrompt:
    """Raw text, tokenised as it stands."""

    text: str


@dataclass(frozen=True, slots=True)
class ToneCurve:
    """A curve over log-probabilities in place of temperature and filters ("HLG").

    Straight with the temperature's slope in the middle; both ends bend logarithmically. It
    never reorders tokens. All fields are in nats.

    width: half the length of the straight part. shoulder, toe: how softly the top and the
        bottom bend; 0 leaves that end straight.
    pivot_offset: how far below the likeliest token the middle is.
    """

    width: float = 4.0
    shoulder: float = 4.0
    toe: float = 6.0
    pivot_offset: float = 6.0


DEFAULT_CURVE = ToneCurve()


@dataclass(frozen=True, slots=True)
class SamplingParams:
    """How the next token is drawn, in the order in which the stages apply.

    logit_bias: token id to what is added to its logit.
    repetition_penalty: 1 is off; positive logits of tokens seen are divided by it, negative
        ones multiplied.
    presence_penalty: taken once from the logits of tokens seen; 0 is off.
    frequency_penalty: taken once for every time a token was seen; 0 is off.
    *_context_size: how many of the newest tokens, the prompt's included, count as seen;
        0 means all.
    top_p: in (0, 1]; 0 and 1 both mean off.
    min_p: share of the likeliest token's probability below which tokens go; 0 is off.
    xtc_probability, xtc_threshold: chance, for each step, that all tokens above the
        threshold go but the least likely of them; a probability of 0 is off.
    top_k: number of candidates; 0 means off.
    temperature: 0 takes the likeliest token.
    tone_curve: replaces every stage from top_p to temperature, whose value it takes as slope.
    transfer_curve: the same, and the tone curve with it; needs a temperature above 0, which it
        then takes no account of.
    seed: 64-bit; with equal seeds a request draws equal tokens, whoever shares its steps.
    """

    logit_bias: Mapping[int, float] = field(default_factory=dict)
    repetition_penalty: float = 1.0
    repetition_context_size: int = 20
    presence_penalty: float = 0.0
    presence_context_size: int = 20
    frequency_penalty: float = 0.0
    frequency_context_size: int = 20
    top_p: float = 0.0
    min_p: float = 0.0
    xtc_probability: float = 0.0
    xtc_threshold: float = 0.0
    top_k: int = 0
    temperature: float = 0.7
    tone_curve: ToneCurve | None = None
    transfer_curve: TransferCurve | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class ToneCurveChoice:
    """The fields of a tone curve that a caller set, and whether it is to be used."""

    enabled: bool | None = None
    width: float | None = None
    shoulder: float | None = None
    toe: float | None = None
    pivot_offset: float | None = None

    def over(self, default: ToneCurve, *, enabled: bool) -> ToneCurve | None:
        """Return the curve to use, None for none; `enabled` counts where nothing was said."""
        given = _set_fields(self)
        return replace(default, **given) if given.pop("enabled", enabled) else None


@dataclass(frozen=True, slots=True)
class SamplingChoice:
    """The fields of `SamplingParams` that a caller set; None takes the server's default."""

    logit_bias: Mapping[int, float] | None = None
    repetition_penalty: float | None = None
    repetition_context_size: int | None = None
    presence_penalty: float | None = None
    presence_context_size: int | None = None
    frequency_penalty: float | None = None
    frequency_context_size: int | None = None
    top_p: float | None = None
    min_p: float | None = None
    xtc_probability: float | None = None
    xtc_threshold: float | None = None
    top_k: int | None = None
    temperature: float | None = None
    tone_curve: ToneCurveChoice | None = None
    transfer_curve: TransferCurve | None = None
    seed: int | None = None

    def over(self, defaults: SamplingParams) -> SamplingParams:
        """Return `defaults` with every field that was set in its place, but for the tone curve."""
        given = _set_fields(self)
        given.pop("tone_curve", None)
        return replace(defaults, **given)


def _set_fields(choice: ToneCurveChoice | SamplingChoice) -> dict[str, Any]:
    given = {f.name: getattr(choice, f.name) for f in fields(choice)}
    return {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """What a caller asked for, validated.

    id: ours, unique in this process; wire ids are made from it by the protocols.
    max_tokens: None means until the model ends or its context does.
    stop: strings that end the answer where they appear in its text.
    constraint: what the answer must satisfy; None for free text.
    logprobs: likeliest alternatives reported for each token; 0 reports the chosen token
        alone, None nothing.
    adapter: ids of the adapters to answer with, whose residuals add up; empty for the weights as
        loaded, None for the server's default.
    private: nothing of it is written to disk, neither its prompt nor its answer.
    """

    id: str
    prompt: ChatPrompt | TextPrompt
    sampling: SamplingChoice = SamplingChoice()
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    constraint: Constraint | None = None
    logprobs: int | None = None
    adapter: tuple[str, ...] | None = None
    private: bool = False
