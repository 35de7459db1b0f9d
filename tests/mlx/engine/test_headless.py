"""Checkpoints of a body alone load as whole models."""

import json

import mlx.core as mx
import pytest
from mlx.utils import tree_flatten
from mlx_lm.utils import quantize_model

from hub.density import WeightsOption
from inference.engine.headless import find_headless_classes
from inference.engine.loader import load

TOKENS = mx.array([[1, 2, 3, 4]])


def load_headless(path):
    return load(path, WeightsOption.AUTO, 10**9, find_headless_classes).model


@pytest.fixture(scope="module")
def whole(tiny_model):
    return tiny_model("qwen3")


def test_a_body_alone_has_the_hidden_states_of_the_whole_model(embedding_checkpoint, whole):
    model = load_headless(embedding_checkpoint)

    assert mx.allclose(model.model(TOKENS), whole.model.model(TOKENS)).item()


def test_without_a_head_the_embedding_is_one(embedding_checkpoint):
    model = load_headless(embedding_checkpoint)

    expected = model.model.embed_tokens.as_linear(model.model(TOKENS))
    assert mx.allclose(model(TOKENS), expected).item()


def test_a_quantized_conversion_may_lack_its_head_as_well(embedding_checkpoint, whole, tmp_path):
    """As mlx-community/Qwen3-Embedding-8B-4bit-DWQ does, untied by its own config."""
    config = json.loads((whole.path / "config.json").read_text())
    model, config = quantize_model(load_headless(embedding_checkpoint), config, 32, 8)
    weights = dict(tree_flatten(model.parameters()))
    mx.save_safetensors(str(tmp_path / "model.safetensors"), weights, metadata={"format": "mlx"})
    (tmp_path / "config.json").write_text(json.dumps(config))

    loaded = load_headless(tmp_path)

    assert config["tie_word_embeddings"] is False
    assert mx.allclose(loaded.model(TOKENS), model.model(TOKENS), atol=1e-4).item()
    assert mx.isfinite(loaded(TOKENS)).all().item()


def test_a_checkpoint_with_a_head_keeps_it(whole):
    model = load_headless(whole.path)

    assert mx.allclose(model(TOKENS), whole.model(TOKENS)).item()


def test_a_body_alone_is_no_language_model_to_others(embedding_checkpoint):
    with pytest.raises(ValueError, match="parameters not in model"):
        load(embedding_checkpoint, WeightsOption.AUTO, 10**9)


def test_other_model_types_are_refused():
    with pytest.raises(ValueError, match="llama"):
        find_headless_classes({"model_type": "llama"})
