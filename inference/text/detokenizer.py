"""Token ids back to text, piece by piece, never cutting a character in two."""

import codecs
from collections.abc import Iterable, Sequence


class Detokenizer:
    """Turns a stream of token ids into a stream of text.

    The pieces of any split of the ids join to the same text. Bytes that cannot be part of
    UTF-8 become U+FFFD, as when decoding at once. Linear in the number of tokens.
    """

    def __init__(self, token_bytes: Sequence[bytes], *, strips_leading_space: bool) -> None:
        self._token_bytes = token_bytes
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._strip = strips_leading_space

    def add(self, token_ids: Iterable[int]) -> str:
        """Return the text that became certain; an unfinished character waits."""
        table = self._token_bytes
        # A padded vocabulary has ids that no token spells.
        data = b"".join(table[i] if i < len(table) else b"" for i in token_ids)
        return self._first(self._decoder.decode(data))

    def finish(self) -> str:
        """Return what was held back; an unfinished character becomes U+FFFD."""
        return self._first(self._decoder.decode(b"", final=True))

    def _first(self, text: str) -> str:
        if self._strip and text:
            self._strip = False
            return text.removeprefix(" ")
        return text
