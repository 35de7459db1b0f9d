"""Loading: data type and density as the policy says, and a tokenizer that fits."""

import mlx.core as mx
import pytest
from mlx.utils import tree_flatten

from hub.density import WeightsOption
from inference.engine.backend import BackendChoice, Device
from inference.engine.loader import load
from tests.plugins.tiny_model import END_OF_TURN

ROOMY = 10**9


@pytest.fixture
def cpu(monkeypatch):
    """The CPU's policy, whatever the machine computes on."""
    monkeypatch.setattr("inference.engine.loader.detect_device", lambda: Device.CPU)


def parameters(loaded):
    return dict(tree_flatten(loaded.model.parameters()))


def test_a_dense_model_is_float32_on_the_cpu(cpu, tiny_checkpoint):
    loaded = load(tiny_checkpoint("llama"), WeightsOption.AUTO, ROOMY)

    assert loaded.backend.dense
    assert {array.dtype for array in parameters(loaded).values()} == {mx.float32}
    assert loaded.weight_bytes == 4 * sum(array.size for array in parameters(loaded).values())


def test_quantized_weights_are_expanded_where_they_fit(cpu, quantized_checkpoint):
    loaded = load(quantized_checkpoint, WeightsOption.AUTO, ROOMY)

    assert loaded.backend.dense
    assert {array.dtype for array in parameters(loaded).values()} == {mx.float32}
    assert not any(name.endswith("scales") for name in parameters(loaded))


@pytest.mark.parametrize(
    ("option", "usable"), [(WeightsOption.AUTO, 1000), (WeightsOption.QUANTIZED, ROOMY)]
)
def test_quantized_weights_stay_where_expanding_does_not_fit_or_is_not_wanted(
    cpu, quantized_checkpoint, option, usable
):
    loaded = load(quantized_checkpoint, option, usable)

    assert isinstance(loaded.backend, BackendChoice)
    assert not loaded.backend.dense
    kinds = {array.dtype for name, array in parameters(loaded).items() if "scales" in name}
    assert kinds == {mx.float32}


def test_the_exact_size_when_dense_decides(cpu, quantized_checkpoint, tiny_checkpoint):
    dense = load(tiny_checkpoint("llama"), WeightsOption.AUTO, ROOMY).weight_bytes

    assert load(quantized_checkpoint, WeightsOption.AUTO, dense).backend.dense
    assert not load(quantized_checkpoint, WeightsOption.AUTO, dense - 1).backend.dense


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path, WeightsOption.AUTO, ROOMY)


def test_the_tiny_models_tokenizer_reads_and_writes_any_text(tiny_checkpoint):
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(tiny_checkpoint("llama"))
    text = "Grüße, 世界 🌍\n\ttab"

    assert tokenizer.decode(tokenizer.encode(text)) == text
    assert len(tokenizer.encode(text)) == len(text.encode())
    assert tokenizer.eos_token_id == END_OF_TURN
    assert tokenizer.apply_chat_template(
        [{"role": "user", "content": "hi"}], tokenize=False, add_generation_prompt=True
    ).endswith("<|im_start|>assistant\n")
