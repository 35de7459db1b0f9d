"""GGUF tensors to MLX weights, without quantizing again.

MLX reads Q4_0, Q4_1 and Q8_0 blocks straight into its own affine layout (group size 32), so
the numbers stay exactly those of the file. This is the one module that needs mlx; only the
conversion's own process imports it.
"""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import mlx.core as mx
from tqdm import tqdm

from hub.errors import ConversionFailed

GROUP_SIZE = 32  # the block size of Q4_0, Q4_1 and Q8_0
# MLX's CPU backend multiplies 4-bit weights 10 times slower in bfloat16 and 50 times
# slower in float16 than in float32 (measured on x86-64, mlx 0.32.4). GGUF stores float16,
# so float32 is exact.
FLOAT_TYPE = mx.float32

NAMES = (
    (r"^token_embd\.", "model.embed_tokens."),
    (r"^output_norm\.", "model.norm."),
    (r"^output\.", "lm_head."),
    (r"^blk\.(\d+)\.attn_norm\.", r"model.layers.\1.input_layernorm."),
    (r"^blk\.(\d+)\.ffn_norm\.", r"model.layers.\1.post_attention_layernorm."),
    (r"^blk\.(\d+)\.attn_(q|k|v)\.", r"model.layers.\1.self_attn.\2_proj."),
    (r"^blk\.(\d+)\.attn_output\.", r"model.layers.\1.self_attn.o_proj."),
    (r"^blk\.(\d+)\.ffn_(gate|up|down)\.", r"model.layers.\1.mlp.\2_proj."),
)


def read_gguf(path: Path) -> tuple[dict[str, mx.array], dict[str, Any]]:
    """Read a GGUF file: its tensors by GGUF name, and its metadata as plain Python values."""
    try:
        loaded: Any = mx.load(str(path), return_metadata=True)
    except (RuntimeError, ValueError) as error:
        raise ConversionFailed(f"{path.name} is not a readable GGUF file: {error}") from error
    tensors, metadata = loaded
    plain = {
        key: value.tolist() if isinstance(value, mx.array) else value
        for key, value in metadata.items()
    }
    return tensors, plain


def convert_tensors(
    tensors: dict[str, mx.array], num_heads: int, num_kv_heads: int
) -> dict[str, mx.array]:
    """Give tensors mlx-lm's names, its row order for q and k, and one float type.

    One type throughout: a float32 norm would lift every activation of a float16 model.
    Shows a progress bar on a terminal.
    """
    weights: dict[str, mx.array] = {}
    for name, tensor in tqdm(tensors.items(), desc="Converting", unit="tensor", disable=None):
        value = tensor
        if ".attn_q." in name:
            value = unpermute(value, num_heads)
        elif ".attn_k." in name:
            value = unpermute(value, num_kv_heads)
        if value.dtype != mx.uint32:
            value = value.astype(FLOAT_TYPE)
        mx.eval(value)
        weights[rename(name)] = value
    return weights


def quantization_of(weights: dict[str, mx.array]) -> dict[str, Any] | None:
    """Describe the packed weights for `config.json`; None if there are none.

    The commonest width is the default; a module of another width gets an entry of its own.
    """
    widths = {
        name.removesuffix(".scales"): _bits(weights[f"{name.removesuffix('.scales')}.weight"], s)
        for name, s in weights.items()
        if name.endswith(".scales")
    }
    if not widths:
        return None
    [(default, _)] = Counter(widths.values()).most_common(1)
    exceptions = {
        name: {"group_size": GROUP_SIZE, "bits": bits}
        for name, bits in sorted(widths.items())
        if bits != default
    }
    return {"group_size": GROUP_SIZE, "bits": default, "mode": "affine", **exceptions}


def rename(name: str) -> str:
    """The mlx-lm name of a GGUF tensor; raises ConversionFailed for an unknown one."""
    for pattern, target in NAMES:
        new, hits = re.subn(pattern, target, name)
        if hits:
            return new
    raise ConversionFailed(f"the GGUF file holds a tensor unknown here: {name}")


def unpermute(rows: mx.array, num_heads: int) -> mx.array:
    """Undo the row order GGUF gives q and k: rotary pairs side by side.

    rows: (H x D, …), packed weights, scales or biases alike, since only rows move.
    """
    pairs = rows.shape[0] // num_heads // 2
    split = rows.reshape(num_heads, pairs, 2, *rows.shape[1:])
    return split.swapaxes(1, 2).reshape(rows.shape)


def _bits(packed: mx.array, scales: mx.array) -> int:
    return packed.shape[-1] * 32 // (scales.shape[-1] * GROUP_SIZE)
