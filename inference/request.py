"""The one request type between the protocols and the engine.

A `GenerationRequest` is complete and in range: whoever holds one never asks again whether
a field is present. It says nothing of streaming, headers, users or protocols.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from inference.messages import Message


@dataclass(frozen=True, slots=True)
class ChatPrompt:
    """A conversation, still to be rendered by the model's chat template.

    template_options: values handed through to the template, such as `enable_thinking`.
    """

    messages: tuple[Message, ...]
    template_options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TextPrompt:
    """Raw text, tokenised as it stands."""

    text: str


@dataclass(frozen=True, slots=True)
class SamplingParams:
    """How the next token is drawn.

    temperature: 0 takes the likeliest token.
    top_p: in (0, 1]; 0 and 1 both mean off.
    top_k: number of candidates; 0 means off.
    seed: 64-bit; with equal seeds a request draws equal tokens, whoever shares its steps.
    """

    temperature: float = 0.7
    top_p: float = 0.0
    top_k: int = 0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class SamplingChoice:
    """The sampling fields a caller set; None takes the server's default."""

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """What a caller asked for, validated.

    id: ours, unique in this process; wire ids are made from it by the protocols.
    max_tokens: None means until the model ends or its context does.
    stop: strings that end the answer where they appear in its text.
    """

    id: str
    prompt: ChatPrompt | TextPrompt
    sampling: SamplingChoice = SamplingChoice()
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
