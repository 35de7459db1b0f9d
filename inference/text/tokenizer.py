"""Between text and token ids: what the rest of the text side needs of a tokenizer."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class Tokenizer(Protocol):
    """A model's tokenizer and chat template. Safe to use from several threads.

    stop_token_ids: tokens that end a turn.
    token_bytes: UTF-8 bytes of each token id; special tokens have none.
    strips_leading_space: whether the first space of a decoded text is an artefact.
    """

    @property
    def stop_token_ids(self) -> frozenset[int]: ...

    @property
    def token_bytes(self) -> Sequence[bytes]: ...

    @property
    def strips_leading_space(self) -> bool: ...

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        """Return the token ids of `text`."""

    def render(self, messages: list[dict[str, Any]], options: Mapping[str, Any]) -> str:
        """Apply the chat template, up to where the assistant's next turn begins.

        Raises ValueError for conversations that the template refuses.
        """

    def piece(self, token_id: int) -> str:
        """Return how the vocabulary spells a token; empty for an id that it lacks."""
