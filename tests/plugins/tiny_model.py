"""Tiny random checkpoints, one for each kind of layer cache, and a byte tokenizer for them.

Nothing here imports mlx before a fixture asks for a model.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.plugins.tiny_configs import COMMON, CONFIGS, WIDE

SPECIAL_TOKENS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
BYTES = 256
VOCABULARY = BYTES + len(SPECIAL_TOKENS)
END_OF_TURN = BYTES + SPECIAL_TOKENS.index("<|im_end|>")
CONTEXT = 1024
CHAT_TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


@dataclass(frozen=True)
class TinyModel:
    """A checkpoint in a folder, loaded in float32 as the server would load it."""

    path: Path
    model: Any


def write_tokenizer(folder: Path) -> None:
    """Write a tokenizer with one token for each byte, and a chat template."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({piece: i for i, piece in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(text, special=True) for text in SPECIAL_TOKENS])
    tokenizer.save(str(folder / "tokenizer.json"))
    facts = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": "<|im_end|>",
        "pad_token": "<|endoftext|>",
        "model_max_length": CONTEXT,
        "clean_up_tokenization_spaces": False,
        "chat_template": CHAT_TEMPLATE,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(facts), encoding="utf-8")


def write_checkpoint(folder: Path, kind: str, seed: int = 1) -> None:
    """Write a random float32 model of a kind in CONFIGS or WIDE, with its tokenizer."""
    import mlx.core as mx
    from mlx.utils import tree_flatten, tree_map
    from mlx_lm.utils import _get_classes

    config = {
        **COMMON,
        "vocab_size": VOCABULARY,
        "max_position_embeddings": CONTEXT,
        "eos_token_id": END_OF_TURN,
        **{**CONFIGS, **WIDE}[kind],
    }
    model_class, args_class = _get_classes(config)
    model = model_class(args_class.from_dict(config))
    mx.random.seed(seed)

    def redraw(weight: mx.array) -> mx.array:
        # Wide enough that an answer depends on all of its prompt.
        return mx.random.normal(weight.shape) * 0.2 if weight.ndim > 1 else weight

    parameters = dict(tree_flatten(tree_map(redraw, model.parameters())))
    folder.mkdir(parents=True, exist_ok=True)
    mx.save_safetensors(str(folder / "model.safetensors"), parameters, metadata={"format": "mlx"})
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    write_tokenizer(folder)


@pytest.fixture(scope="session")
def tiny_checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the folder of a tiny model by its kind; each is written once."""
    root = tmp_path_factory.mktemp("tiny-models")

    def path(kind: str) -> Path:
        folder: Path = root / kind
        if not folder.exists():
            write_checkpoint(folder, kind)
        return folder

    return path


@pytest.fixture(scope="session")
def tiny_model(tiny_checkpoint: Callable[[str], Path]) -> Callable[[str], TinyModel]:
    """Return a tiny model by its kind, loaded once."""
    from hub.density import WeightsOption
    from inference.engine.loader import load

    models: dict[str, TinyModel] = {}

    def get(kind: str) -> TinyModel:
        if kind not in models:
            path = tiny_checkpoint(kind)
            models[kind] = TinyModel(path, load(path, WeightsOption.AUTO, 10**9).model)
        return models[kind]

    return get
