"""A tiny random embedding model in the layout in which Qwen publishes its own."""

from pathlib import Path

import pytest

from tests.plugins.tiny_model import BYTES, SPECIAL_TOKENS, write_checkpoint

END_OF_TEXT = BYTES + SPECIAL_TOKENS.index("<|endoftext|>")


def write_embedding_checkpoint(folder: Path) -> None:
    """Write a body without a head, and a tokenizer that ends every text by itself."""
    import mlx.core as mx
    from tokenizers import Tokenizer, processors

    write_checkpoint(folder, "qwen3")
    weights = mx.load(str(folder / "model.safetensors"))
    mx.eval(weights)
    body = {
        name.removeprefix("model."): weight
        for name, weight in weights.items()
        if not name.startswith("lm_head")
    }
    mx.save_safetensors(str(folder / "model.safetensors"), body, metadata={"format": "pt"})
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A <|endoftext|>", special_tokens=[("<|endoftext|>", END_OF_TEXT)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))


@pytest.fixture(scope="session")
def embedding_checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny embedding model, which only its name tells to be one."""
    folder: Path = tmp_path_factory.mktemp("tiny") / "tiny-qwen3-embedding"
    write_embedding_checkpoint(folder)
    return folder
