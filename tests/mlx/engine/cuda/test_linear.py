"""Linear layers in groups compute what they computed alone."""

import weakref

import mlx.core as mx
import pytest
from mlx import nn
from mlx.utils import tree_flatten

from inference.engine.cuda.linear import LinearGroup, LinearPart, group_linears, multiply_few

WIDTH = 64


class Block(nn.Module):
    """A module with layers that share their input, and one that does not."""

    def __init__(self, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(WIDTH, 48, bias=bias)
        self.k_proj = nn.Linear(WIDTH, 32, bias=bias)
        self.v_proj = nn.Linear(WIDTH, 16, bias=bias)
        self.o_proj = nn.Linear(48, WIDTH, bias=bias)

    def __call__(self, x):
        q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        return q, k, v, self.o_proj(q)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("shape", [(1, 1, WIDTH), (3, 1, WIDTH), (2, 70, WIDTH)])
def test_outputs_are_the_same(bias, shape):
    block = Block(bias)
    x = mx.random.normal(shape)
    expected = block(x)

    group_linears(block)

    for output, wanted in zip(block(x), expected, strict=True):
        assert output.shape == wanted.shape
        assert mx.allclose(output, wanted, atol=1e-5)


def test_weights_are_held_once():
    block = Block(bias=True)
    size = sum(array.size for _, array in tree_flatten(block.parameters()))

    group_linears(block)

    assert sum(array.size for _, array in tree_flatten(block.parameters())) == size


def test_layers_are_let_go_one_after_the_other(monkeypatch):
    blocks = [Block(), Block()]
    model = nn.Module()
    model.blocks = blocks
    first = weakref.ref(blocks[0].q_proj)
    alive = []
    initialize = LinearGroup.__init__

    def noting(self, layers):
        alive.append(first() is not None)
        initialize(self, layers)

    monkeypatch.setattr(LinearGroup, "__init__", noting)
    group_linears(model)

    # Two groups for each of two blocks, whose order is not ours to say.
    assert alive in ([True, False, False, False], [True, True, True, False])


def test_siblings_of_different_widths_stay_apart():
    block = Block()
    block.k_proj = nn.Linear(32, 16)

    group_linears(block)

    assert block.k_proj(mx.ones((1, 32))).shape == (1, 16)


def test_quantized_layers_stay_as_they_are():
    block = Block()
    nn.quantize(block, group_size=32, class_predicate=lambda path, _: path == "q_proj")

    group_linears(block)

    assert isinstance(block.q_proj, nn.QuantizedLinear)
    assert isinstance(block.o_proj, LinearPart)


def test_parts_may_be_asked_in_any_order_for_any_input():
    block = Block()
    x, y = mx.random.normal((2, 1, WIDTH)), mx.random.normal((2, 1, WIDTH))
    weights = block.q_proj.weight, block.v_proj.weight
    group_linears(block)

    v, q_of_y, q = block.v_proj(x), block.q_proj(y), block.q_proj(x)

    assert mx.allclose(v, x @ weights[1].T, atol=1e-5)
    assert mx.allclose(q_of_y, y @ weights[0].T, atol=1e-5)
    assert mx.allclose(q, x @ weights[0].T, atol=1e-5)


@pytest.mark.skipif(not mx.cuda.is_available(), reason="needs a CUDA GPU")
@pytest.mark.parametrize("rows", [1, 3, 8, 9, 16])
@pytest.mark.parametrize(
    "width, sizes", [(1024, (2048, 1024, 1024)), (96, (40, 24)), (3072, (20000,))]
)
@pytest.mark.parametrize("bias", [False, True])
def test_the_kernel_is_as_near_as_bfloat16_allows(rows, width, sizes, bias):
    x = mx.random.normal((rows, width)).astype(mx.bfloat16)
    weight = (mx.random.normal((sum(sizes), width)) * width**-0.5).astype(mx.bfloat16)
    added = mx.random.normal((sum(sizes),)).astype(mx.bfloat16) if bias else None

    parts = multiply_few(x, weight, added, sizes)

    expected = x.astype(mx.float32) @ weight.astype(mx.float32).T
    expected = expected + added.astype(mx.float32) if bias else expected
    distance = mx.linalg.norm(mx.concatenate(parts, axis=1).astype(mx.float32) - expected)
    assert (distance / mx.linalg.norm(expected)).item() < 4e-3
