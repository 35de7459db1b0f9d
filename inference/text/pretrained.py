"""The tokenizer of a model folder, read with transformers, which takes a second to import."""

import inspect
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer, PreTrainedTokenizerBase

from inference.text.pieces import encode_pieces
from inference.text.token_bytes import token_bytes_of
from inference.text.tokenizer import EncodedText

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
        self.special_tokens = {
            token_id: token.content
            for token_id, token in self._tokenizer.added_tokens_decoder.items()
            if token.special
        }
        self.chat_template = _template_source(self._tokenizer.chat_template)
        self.token_bytes, self.strips_leading_space = token_bytes_of(self._tokenizer)

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        # Not verbose: it would warn of long prompts, which the service judges.
        return list(
            self._tokenizer.encode(text, add_special_tokens=add_special_tokens, verbose=False)
        )

    def encode_pieces(self, pieces: Sequence[str]) -> EncodedText:
        # What strips a space from decoded text has written one before the encoded.
        lead = "\n" if self.strips_leading_space else ""
        return encode_pieces(self._tokenizer, pieces, lead=lead)

    def piece(self, token_id: int) -> str:
        return self._tokenizer.convert_ids_to_tokens(token_id) or ""

    def render(
        self,
        messages: Sequence[Mapping[str, Any]],
        options: Mapping[str, Any],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        add_generation_prompt: bool = True,
    ) -> str:
        if not self._tokenizer.chat_template:
            raise ValueError("the model has no chat template; use a text completion")
        if reserved := sorted(_RESERVED & set(options)):
            raise ValueError(f"{reserved[0]} is not a template option")
        try:
            return str(
                self._tokenizer.apply_chat_template(
                    list(messages),
                    # Templates ask whether tools are none; an empty list is not.
                    tools=list(tools) or None,
                    tokenize=False,
                    add_generation_prompt=add_generation_prompt,
                    **options,
                )
            )
        # Templates are programs of the model's author: they raise whatever they like.
        except Exception as error:
            raise ValueError(str(error) or type(error).__name__) from error


def _template_source(template: object) -> str:
    """Return the source of a template, of all of them where a model has several by name."""
    if isinstance(template, dict):
        return "\n".join(str(source) for source in template.values())
    return str(template or "")


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
