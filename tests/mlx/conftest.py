"""MLX as the server has it: with OpenBLAS in front, where it is installed."""

import json

import pytest

from inference.engine.blas import load_openblas
from tests.plugins.tiny_model import write_tokenizer

load_openblas()  # before any test module of this folder imports mlx


@pytest.fixture(scope="session")
def quantized_checkpoint(tiny_checkpoint, tmp_path_factory):
    """Folder of a tiny llama in 4 bits."""
    import mlx.core as mx
    from mlx_lm.utils import load_model, quantize_model, save_model

    folder = tmp_path_factory.mktemp("quantized")
    model, config = load_model(tiny_checkpoint("llama"))
    model.set_dtype(mx.float16)
    model, config = quantize_model(model, config, group_size=32, bits=4)
    save_model(folder, model)
    (folder / "config.json").write_text(json.dumps(config))
    write_tokenizer(folder)
    return folder
