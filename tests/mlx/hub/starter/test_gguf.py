from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from hub.errors import ConversionFailed
from hub.starter.gguf import (
    GROUP_SIZE,
    convert_tensors,
    quantization_of,
    read_gguf,
    rename,
    unpermute,
)


def dequantize(weights: dict[str, mx.array], name: str, bits: int) -> np.ndarray:
    packed, scales, biases = (weights[f"{name}.{part}"] for part in ("weight", "scales", "biases"))
    return np.array(mx.dequantize(packed, scales, biases, group_size=GROUP_SIZE, bits=bits))


def permute(rows: np.ndarray, num_heads: int) -> np.ndarray:
    """What a GGUF writer does to q and k, as llama.cpp's converter does it."""
    split = rows.reshape(num_heads, 2, rows.shape[0] // num_heads // 2, *rows.shape[1:])
    return split.swapaxes(1, 2).reshape(rows.shape)


def test_blocks_are_carried_over_bit_for_bit(write_gguf: Callable[..., Any]) -> None:
    gguf = write_gguf()
    tensors, _ = read_gguf(gguf.path)

    weights = convert_tensors(tensors, num_heads=4, num_kv_heads=2)

    down = dequantize(weights, "model.layers.1.mlp.down_proj", bits=4)
    embedding = dequantize(weights, "model.embed_tokens", bits=8)
    np.testing.assert_allclose(down, gguf.values["blk.1.ffn_down.weight"], atol=1e-7)
    np.testing.assert_allclose(embedding, gguf.values["token_embd.weight"], atol=2e-7 * 128)
    norm = np.array(weights["model.norm.weight"])
    np.testing.assert_array_equal(norm, gguf.values["output_norm.weight"])


def test_q_and_k_rows_return_to_their_own_order(write_gguf: Callable[..., Any]) -> None:
    gguf = write_gguf()
    tensors, _ = read_gguf(gguf.path)

    weights = convert_tensors(tensors, num_heads=4, num_kv_heads=2)

    q = dequantize(weights, "model.layers.0.self_attn.q_proj", bits=4)
    k = dequantize(weights, "model.layers.0.self_attn.k_proj", bits=4)
    v = dequantize(weights, "model.layers.0.self_attn.v_proj", bits=4)
    np.testing.assert_allclose(permute(q, 4), gguf.values["blk.0.attn_q.weight"], atol=1e-7)
    np.testing.assert_allclose(permute(k, 2), gguf.values["blk.0.attn_k.weight"], atol=1e-7)
    np.testing.assert_allclose(v, gguf.values["blk.0.attn_v.weight"], atol=1e-7)


def test_unpermute_moves_rows_of_any_width() -> None:
    rows = np.arange(16)[:, None] * np.ones((1, 3))

    np.testing.assert_array_equal(np.array(unpermute(mx.array(permute(rows, 2)), 2)), rows)


def test_every_float_is_float32_so_that_the_cpu_is_fast(write_gguf: Callable[..., Any]) -> None:
    tensors, _ = read_gguf(write_gguf().path)

    weights = convert_tensors(tensors, num_heads=4, num_kv_heads=2)

    assert {value.dtype for value in weights.values()} == {mx.uint32, mx.float32}


def test_the_config_names_the_modules_of_another_width(write_gguf: Callable[..., Any]) -> None:
    tensors, _ = read_gguf(write_gguf().path)

    assert quantization_of(convert_tensors(tensors, num_heads=4, num_kv_heads=2)) == {
        "group_size": 32,
        "bits": 4,
        "mode": "affine",
        "model.embed_tokens": {"group_size": 32, "bits": 8},
    }


def test_unquantized_weights_have_no_quantization() -> None:
    assert quantization_of({"model.norm.weight": mx.ones(4)}) is None


def test_metadata_is_plain_python(write_gguf: Callable[..., Any]) -> None:
    _, metadata = read_gguf(write_gguf().path)

    assert metadata["llama.block_count"] == 2
    assert metadata["tokenizer.ggml.token_type"][:3] == [3, 3, 1]
    assert metadata["tokenizer.ggml.merges"] == ["Ġ a"]


def test_an_unknown_tensor_is_refused() -> None:
    assert rename("blk.12.ffn_up.scales") == "model.layers.12.mlp.up_proj.scales"
    with pytest.raises(ConversionFailed, match=r"unknown here: blk\.0\.ssm_a"):
        rename("blk.0.ssm_a")


def test_a_file_that_is_not_gguf_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.gguf").write_bytes(b"GGUF but not really")

    with pytest.raises(ConversionFailed, match="not a readable GGUF file"):
        read_gguf(tmp_path / "model.gguf")
