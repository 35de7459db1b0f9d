"""How much of a prompt the next turn of its conversation begins with as well."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from inference.text.tokenizer import EncodedText, Tokenizer


def stable_length(tokenizer: Tokenizer, text: str, encoded: EncodedText, next_text: str) -> int:
    """Return how many tokens two prompts begin with alike, now and in any next turn.

    text, encoded: the prompt, before and after the tokenizer. next_text: the next turn's.
    What follows the shared text differs from turn to turn, and can merge with the end of it.
    So tokens count only up to a special token, or to a word that white space has ended.
    """
    if encoded.ends is None:
        return _token_wise(tokenizer, encoded.token_ids, next_text)
    shared = text[: common_length(text, next_text)]
    count = bisect_right(encoded.ends, len(shared))
    while count and encoded.token_ids[count - 1] not in tokenizer.special_tokens:
        if _ends_word(shared, encoded.ends[count - 1]):
            break
        count -= 1
    return count


def common_length(first: Sequence[Any], second: Sequence[Any]) -> int:
    """Return how many items two strings or two lists begin with alike.

    Compares slices, halving: a loop would take 100 times as long for a long prompt.
    """
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _token_wise(tokenizer: Tokenizer, token_ids: list[int], next_text: str) -> int:
    """Compare token ids, for tokenizers that do not know where in a text their tokens end."""
    next_ids = tokenizer.encode(next_text, add_special_tokens=False)
    count = common_length(token_ids, next_ids)
    if count and token_ids[count - 1] not in tokenizer.special_tokens:
        count -= 1  # it can merge with what follows
    return count


def _ends_word(text: str, position: int) -> bool:
    return 0 < position < len(text) and text[position - 1].isalnum() and text[position] in " \n"
