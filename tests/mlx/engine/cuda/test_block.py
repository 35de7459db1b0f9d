"""Layers in fewer kernels compute what mlx_lm's do.

Without a GPU the same layers run with mlx's own operations in place of the kernels.
"""

import mlx.core as mx
import pytest
from mlx import nn
from mlx.utils import tree_map
from mlx_lm.utils import _get_classes

from inference.engine.cuda import block
from inference.engine.cuda.block import add_and_normalize, rotate, speed_up_blocks
from inference.engine.cuda.step import StepModel
from inference.engine.model_runner import ModelRunner
from tests.plugins.step_loop import StepLoop, make_prompts, reference
from tests.plugins.tiny_configs import COMMON

PROMPTS = make_prompts(10)
MAX_TOKENS = 10
needs_cuda = pytest.mark.skipif(not mx.cuda.is_available(), reason="needs a CUDA GPU")


def make_model(**config):
    model_class, args_class = _get_classes({**COMMON, **config})
    model = model_class(
        args_class.from_dict(
            {**COMMON, "vocab_size": 259, "max_position_embeddings": 1024, **config}
        )
    )
    mx.random.seed(2)
    model.update(
        tree_map(
            lambda weight: mx.random.normal(weight.shape) * (0.2 if weight.ndim > 1 else 1.0),
            model.parameters(),
        )
    )
    mx.eval(model.parameters())
    return model


@pytest.fixture
def stepped(monkeypatch):
    """Note the layers that take steps of our own."""
    layers = []
    step = block._step

    def noting(layer, *rest):
        layers.append(layer)
        return step(layer, *rest)

    monkeypatch.setattr(block, "_step", noting)
    return layers


@pytest.mark.parametrize("kind", ["llama", "qwen2", "qwen3"])
def test_answers_stay_mlx_lms(kind, stepped):
    model = make_model(model_type=kind, rope_theta=1e4)
    answers = [reference(model, prompt, MAX_TOKENS) for prompt in PROMPTS]

    speed_up_blocks(model)
    loop = StepLoop(ModelRunner(StepModel(model), 1 << 28), chunk=32)

    assert [reference(model, prompt, MAX_TOKENS) for prompt in PROMPTS] == answers
    assert not stepped
    assert loop.answer_staggered(PROMPTS, MAX_TOKENS) == answers
    assert stepped


@pytest.mark.parametrize(
    "config",
    [
        {"model_type": "llama", "rope_traditional": True},
        {
            "model_type": "llama",
            "rope_scaling": {
                "rope_type": "llama3",
                "factor": 8.0,
                "low_freq_factor": 1.0,
                "high_freq_factor": 4.0,
                "original_max_position_embeddings": 256,
            },
        },
        {"model_type": "gemma2"},
    ],
)
def test_layers_that_differ_stay_as_they_are(config):
    model = make_model(**config)
    kinds = [type(layer) for layer in model.layers]

    speed_up_blocks(model)

    assert [type(layer) for layer in model.layers] == kinds


class Heads(nn.Module):
    """What `rotate` reads of an attention layer."""

    def __init__(self, dim, normalized):
        super().__init__()
        self.rope = nn.RoPE(dim, base=1e6)
        if normalized:
            self.q_norm, self.k_norm = nn.RMSNorm(dim, eps=1e-6), nn.RMSNorm(dim, eps=1e-6)
            self.update(tree_map(lambda w: mx.random.normal(w.shape), self.parameters()))
        self.set_dtype(mx.bfloat16)


@needs_cuda
@pytest.mark.parametrize("dim", [64, 80, 128, 256])
@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("rows", [1, 5])
def test_the_rotation_is_as_near_as_bfloat16_allows(dim, normalized, rows, monkeypatch):
    heads = Heads(dim, normalized)
    both = mx.random.normal((rows, 1, 8 * dim)).astype(mx.bfloat16)
    arrays = both[..., : 6 * dim], both[..., 6 * dim :]  # not contiguous, as they come
    positions = mx.arange(rows, dtype=mx.int32) * 1000

    answers = rotate(*arrays, heads, positions)

    heads.set_dtype(mx.float32)
    wide = [array.astype(mx.float32) for array in arrays]
    for answer, expected in zip(answers, rotate(*wide, heads, positions), strict=True):
        assert answer.shape == expected.shape
        distance = mx.linalg.norm((answer.astype(mx.float32) - expected).flatten())
        assert (distance / mx.linalg.norm(expected.flatten())).item() < 5e-3


@needs_cuda
@pytest.mark.parametrize("width", [64, 1024, 2560, 8192])
def test_the_sum_and_its_norm_are_as_near_as_bfloat16_allows(width):
    x, y = (mx.random.normal((3, 1, width)).astype(mx.bfloat16) for _ in range(2))
    norm = nn.RMSNorm(width, eps=1e-6)
    norm.set_dtype(mx.bfloat16)

    total, normalized = add_and_normalize(x, y, norm)

    assert mx.array_equal(total, x + y)
    assert mx.allclose(normalized, norm(x + y), atol=0.02, rtol=0.01)
