"""The tokenizer of a model folder, read with transformers, which takes a second to import."""

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer, PreTrainedTokenizerBase

from inference.text.token_bytes import token_bytes_of

# Arguments of the renderer itself. A caller's option of such a name would steer it, past
# the template: `tokenize`, `chat_template` and the like.
_RESERVED = set(inspect.signature(PreTrainedTokenizerBase.apply_chat_template).parameters) - {
    "documents",
    "kwargs",
}


class PretrainedTokenizer:
    """The tokenizer of a model folder, read with transformers; runs none of its code."""

    def __init__(self, path: Path, config: Mapping[str, Any], generation: Mapping[str, Any]):
        self._tokenizer = AutoTokenizer.from_pretrained(
            path, local_files_only=True, trust_remote_code=False
        )
        self.stop_token_ids = _stop_token_ids(self._tokenizer, config, generation)
        self.token_bytes, self.strips_leading_space = token_bytes_of(self._tokenizer)

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=add_special_tokens))

    def piece(self, token_id: int) -> str:
        return self._tokenizer.convert_ids_to_tokens(token_id) or ""

    def render(self, messages: list[dict[str, Any]], options: Mapping[str, Any]) -> str:
        if not self._tokenizer.chat_template:
            raise ValueError("the model has no chat template; use a text completion")
        if reserved := sorted(_RESERVED & set(options)):
            raise ValueError(f"{reserved[0]} is not a template option")
        try:
            return str(
                self._tokenizer.apply_chat_template(
                    messages, tokenize=False, add_generation_prompt=True, **options
                )
            )
        # Templates are programs of the model's author: they raise whatever they like.
        except Exception as error:
            raise ValueError(str(error) or type(error).__name__) from error


def _stop_token_ids(
    tokenizer: Any, config: Mapping[str, Any], generation: Mapping[str, Any]
) -> frozenset[int]:
    """Collect the stop tokens that the tokenizer and the model's files name."""
    ids: set[int] = set()
    for value in (
        tokenizer.eos_token_id,
        config.get("eos_token_id"),
        generation.get("eos_token_id"),
    ):
        ids.update(value if isinstance(value, list) else [] if value is None else [value])
    return frozenset(ids)
