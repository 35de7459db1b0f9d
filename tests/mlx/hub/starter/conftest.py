"""A writer of tiny GGUF files: quantized blocks are bytes we choose, so results are exact.

Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

F32, Q4_1, Q8_0 = 0, 3, 8  # ggml tensor types
UINT32, FLOAT32, BOOL, STRING, ARRAY, INT32 = 4, 6, 7, 8, 9, 5  # metadata value types
ALIGNMENT = 32
BLOCK = 32
HIDDEN, MLP, LAYERS, HEADS, KV_HEADS = 64, 96, 2, 4, 2

TOKENS = [
    "<|end|>",
    "<|start|>",
    *(chr(letter) for letter in range(ord("a"), ord("z") + 1)),
    "Ġ",
    "Ġa",
]


@dataclass
class TinyGguf:
    """A GGUF file, and the float values that its tensors stand for, by GGUF name."""

    path: Path
    values: dict[str, np.ndarray] = field(default_factory=dict)


def metadata() -> dict[str, Any]:
    return {
        "general.architecture": "llama",
        "llama.embedding_length": HIDDEN,
        "llama.feed_forward_length": MLP,
        "llama.block_count": LAYERS,
        "llama.attention.head_count": HEADS,
        "llama.attention.head_count_kv": KV_HEADS,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.context_length": 256,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "smollm",
        "tokenizer.ggml.tokens": TOKENS,
        "tokenizer.ggml.token_type": [3, 3] + [1] * (len(TOKENS) - 2),
        "tokenizer.ggml.merges": ["Ġ a"],
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 0,
        "tokenizer.chat_template": "{% for m in messages %}{{ m['content'] }}{% endfor %}",
    }


def shapes() -> dict[str, tuple[int, tuple[int, ...]]]:
    """Every tensor of a tied llama: its ggml type, and its shape as rows come first."""
    kv = HIDDEN // HEADS * KV_HEADS
    found: dict[str, tuple[int, tuple[int, ...]]] = {
        "token_embd.weight": (Q8_0, (len(TOKENS), HIDDEN)),
        "output_norm.weight": (F32, (HIDDEN,)),
    }
    for layer in range(LAYERS):
        for name, kind, shape in [
            ("attn_norm", F32, (HIDDEN,)),
            ("ffn_norm", F32, (HIDDEN,)),
            ("attn_q", Q4_1, (HIDDEN, HIDDEN)),
            ("attn_k", Q4_1, (kv, HIDDEN)),
            ("attn_v", Q4_1, (kv, HIDDEN)),
            ("attn_output", Q4_1, (HIDDEN, HIDDEN)),
            ("ffn_gate", Q4_1, (MLP, HIDDEN)),
            ("ffn_up", Q4_1, (MLP, HIDDEN)),
            ("ffn_down", Q4_1, (HIDDEN, MLP)),
        ]:
            found[f"blk.{layer}.{name}.weight"] = (kind, shape)
    return found


def encode_tensor(
    kind: int, shape: tuple[int, ...], random: np.random.Generator
) -> tuple[bytes, np.ndarray]:
    """Random blocks of one type, and the float32 values that they stand for."""
    if kind == F32:
        values = random.uniform(0.5, 1.5, shape).astype(np.float32)
        return values.tobytes(), values
    blocks = int(np.prod(shape)) // BLOCK
    scale = random.uniform(0.001, 0.02, blocks).astype(np.float16)
    if kind == Q8_0:
        steps = random.integers(-127, 128, (blocks, BLOCK), dtype=np.int8)
        encoded = b"".join(s.tobytes() + q.tobytes() for s, q in zip(scale, steps, strict=True))
        return encoded, (steps * scale[:, None].astype(np.float32)).reshape(shape)
    # Q4_1: scale, minimum, then 16 bytes; low halves are the first 16 values, high the rest.
    low = random.uniform(-0.1, 0.0, blocks).astype(np.float16)
    steps = random.integers(0, 16, (blocks, BLOCK), dtype=np.uint8)
    packed = steps[:, :16] | (steps[:, 16:] << 4)
    encoded = b"".join(
        s.tobytes() + m.tobytes() + q.tobytes() for s, m, q in zip(scale, low, packed, strict=True)
    )
    values = steps * scale[:, None].astype(np.float32) + low[:, None].astype(np.float32)
    return encoded, values.reshape(shape)


def encode_string(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def encode_value(value: Any) -> bytes:
    match value:
        case str():
            return struct.pack("<I", STRING) + encode_string(value)
        case float():
            return struct.pack("<If", FLOAT32, value)
        case int():
            return struct.pack("<II", UINT32, value)
        case [str(), *_]:
            items = b"".join(map(encode_string, value))
            return struct.pack("<IIQ", ARRAY, STRING, len(value)) + items
        case _:
            items = struct.pack(f"<{len(value)}i", *value)
            return struct.pack("<IIQ", ARRAY, INT32, len(value)) + items


def pad(data: bytes) -> bytes:
    return data + bytes(-len(data) % ALIGNMENT)


@pytest.fixture
def write_gguf(tmp_path: Path) -> Callable[..., TinyGguf]:
    """`write_gguf(**changes)`: a tiny llama GGUF; a change of None removes a metadata key.

    Dots in keys are written as double underscores.
    """

    def write(**changes: Any) -> TinyGguf:
        random = np.random.default_rng(0)
        renamed = {key.replace("__", "."): value for key, value in changes.items()}
        pairs = {k: v for k, v in {**metadata(), **renamed}.items() if v is not None}
        result = TinyGguf(tmp_path / "tiny.gguf")
        infos, data = b"", b""
        for name, (kind, shape) in shapes().items():
            encoded, result.values[name] = encode_tensor(kind, shape, random)
            dims = shape[::-1]  # ggml counts from the fastest-moving dimension
            infos += encode_string(name) + struct.pack(f"<I{len(dims)}Q", len(dims), *dims)
            infos += struct.pack("<IQ", kind, len(data))
            data += pad(encoded)
        header = b"GGUF" + struct.pack("<IQQ", 3, len(shapes()), len(pairs))
        header += b"".join(encode_string(k) + encode_value(v) for k, v in pairs.items())
        result.path.write_bytes(pad(header + infos) + data)
        return result

    return write
