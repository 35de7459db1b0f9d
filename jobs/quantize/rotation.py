"""A seeded Hadamard rotation, folded into the weights: the same model in other coordinates.

Rotating the residual stream, and the values within each head, spreads outliers over all
channels before rounding. The result is a plain checkpoint of the same architecture, whose
embedding and head are no longer tied. It does not help every model; the job says by how much.
Source: QuIP#, ICML 2024, section 3; QuaRot, NeurIPS 2024, section 4.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
from mlx.nn.layers.linear import Linear

from jobs.quantize.checkpoint import Checkpoint, Piece
from jobs.quantize.errors import QuantizeError

# Architectures whose layers are an attention and an MLP around RMS norms that just multiply.
MODEL_TYPES = frozenset({"llama", "mistral", "qwen2", "qwen3"})
_READERS = {
    "input_layernorm": ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
    "post_attention_layernorm": ("mlp.gate_proj", "mlp.up_proj"),
}
_WRITERS = ("self_attn.o_proj", "mlp.down_proj")

Rotate = Callable[[mx.array], mx.array]


@dataclass(frozen=True, slots=True)
class Rotation:
    """A step for every piece of one model. stream: of the residual; head: within a head."""

    stream: Rotate
    head: Rotate
    head_dim: int

    @classmethod
    def of(cls, checkpoint: Checkpoint, seed: int) -> "Rotation":
        """Draw the rotation of a model; raises QuantizeError for an architecture of another kind.

        Marks the config's embeddings as untied, which they then are.
        """
        kind = checkpoint.config.get("model_type")
        if kind not in MODEL_TYPES or not _is_plain(checkpoint):
            raise QuantizeError(
                f"rotate_weights works for {', '.join(sorted(MODEL_TYPES))}, and this model is "
                f"{kind}: leave it off"
            )
        args = checkpoint.model.args
        head_dim = checkpoint.layers[0].child("self_attn.v_proj").weight.shape[0]
        head_dim //= args.num_key_value_heads or args.num_attention_heads
        checkpoint.config["tie_word_embeddings"] = False
        return cls(_draw(args.hidden_size, seed), _draw(head_dim, seed + 1), head_dim)

    def __call__(self, piece: Piece) -> None:
        """Rotate a dense piece; each array keeps its type."""
        if piece.path:
            self._rotate_layer(piece)
        else:
            self._rotate_rest(piece.module)

    def _rotate_rest(self, model: Any) -> None:
        embedding, norm = model.model.embed_tokens, model.model.norm
        if model.args.tie_word_embeddings:
            model.args.tie_word_embeddings = False
            outputs, inputs = embedding.weight.shape
            model.lm_head = Linear(inputs, outputs, bias=False)
            model.lm_head.weight = embedding.weight
        _set(
            model.lm_head, "weight", self.stream(_float(model.lm_head.weight) * _float(norm.weight))
        )
        _set(embedding, "weight", self.stream(_float(embedding.weight)))
        norm.weight = mx.ones_like(norm.weight)

    def _rotate_layer(self, piece: Piece) -> None:
        for norm_name, readers in _READERS.items():
            norm = piece.child(norm_name)
            for name in readers:
                linear = piece.child(name)
                _set(linear, "weight", self.stream(_float(linear.weight) * _float(norm.weight)))
            norm.weight = mx.ones_like(norm.weight)
        for name in _WRITERS:
            linear = piece.child(name)
            _set(linear, "weight", self.stream(_float(linear.weight).T).T)
            if "bias" in linear:
                _set(linear, "bias", self.stream(_float(linear.bias)))
        values, output = piece.child("self_attn.v_proj"), piece.child("self_attn.o_proj")
        _set(values, "weight", self._rotate_heads(_float(values.weight).T).T)
        if "bias" in values:
            _set(values, "bias", self._rotate_heads(_float(values.bias)))
        _set(output, "weight", self._rotate_heads(_float(output.weight)))

    def _rotate_heads(self, x: mx.array) -> mx.array:
        """Rotate each head's stretch of the last axis."""
        return self.head(x.reshape(*x.shape[:-1], -1, self.head_dim)).reshape(x.shape)


def _draw(size: int, seed: int) -> Rotate:
    """x -> x Q on the last axis: signs, a shuffle, then Hadamard blocks of a power of two.

    mx.hadamard_transform must never see a size that is not m * 2**k with m in 1, 12, 20, 28:
    on the CPU it does not check, gives NaN and corrupts the heap (mlx 0.32.4).
    """
    block = size & -size
    signs_key, order_key = mx.random.split(mx.random.key(seed))
    signs = mx.where(mx.random.bernoulli(0.5, (size,), key=signs_key), 1.0, -1.0)
    order = mx.random.permutation(size, key=order_key)

    def rotate(x: mx.array) -> mx.array:
        blocks = (x * signs)[..., order].reshape(*x.shape[:-1], size // block, block)
        return mx.hadamard_transform(blocks, scale=1 / math.sqrt(block)).reshape(x.shape)

    return rotate


def _is_plain(checkpoint: Checkpoint) -> bool:
    names = (*_READERS, *(name for group in _READERS.values() for name in group), *_WRITERS)
    return all(piece.child(name) is not None for piece in checkpoint.layers for name in names)


def _float(x: mx.array) -> mx.array:
    return x.astype(mx.float32)


def _set(module: Any, name: str, value: mx.array) -> None:
    module[name] = value.astype(module[name].dtype)
