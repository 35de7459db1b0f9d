"""Token ids of the tiny models' byte tokenizer, written by hand."""

from tokenizers import pre_tokenizers

from tests.plugins.tiny_model import SPECIAL_TOKENS

_ALPHABET = sorted(pre_tokenizers.ByteLevel.alphabet())
# Printable ASCII stands for itself in the alphabet; these two do not.
_SPELLED = {"\n": "Ċ", " ": "Ġ"}
END_OF_TEXT, START, END = range(len(_ALPHABET), len(_ALPHABET) + len(SPECIAL_TOKENS))


def ids(text: str) -> list[int]:
    """The ids of plain ASCII, one a character."""
    return [_ALPHABET.index(_SPELLED.get(character, character)) for character in text]
