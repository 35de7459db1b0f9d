"""Between text and token ids: what the rest of the text side needs of a tokenizer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class EncodedText:
    """The token ids of a text, and where in it each of them ends, in characters.

    ends: never falling; None from tokenizers that do not know them.
    """

    token_ids: list[int]
    ends: list[int] | None


class Tokenizer(Protocol):
    """A model's tokenizer and chat template. Safe to use from several threads.

    stop_token_ids: tokens that end a turn.
    special_tokens: spelling of every special token by its id; text that holds one reads as it.
    token_bytes: UTF-8 bytes of each token id; special tokens have none.
    strips_leading_space: whether the first space of a decoded text is an artefact.
    chat_template: its source; empty for a model without one.
    """

    @property
    def stop_token_ids(self) -> frozenset[int]: ...

    @property
    def special_tokens(self) -> Mapping[int, str]: ...

    @property
    def token_bytes(self) -> Sequence[bytes]: ...

    @property
    def strips_leading_space(self) -> bool: ...

    @property
    def chat_template(self) -> str: ...

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        """Return the token ids of `text`."""

    def encode_pieces(self, pieces: Sequence[str]) -> EncodedText:
        """Return the token ids of a text in pieces, none added and none across two pieces."""

    def render(
        self,
        messages: Sequence[Mapping[str, Any]],
        options: Mapping[str, Any],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        add_generation_prompt: bool = True,
    ) -> str:
        """Apply the chat template, up to where the assistant's next turn begins.

        messages: as chat templates read them; see `inference/text/template_messages.py`.
        tools: as the caller described them; a template is told of none as None.
        add_generation_prompt: whether the beginning of the assistant's turn is written too.
        Raises ValueError for conversations that the template refuses.
        """

    def piece(self, token_id: int) -> str:
        """Return how the vocabulary spells a token; empty for an id that it lacks."""
