"""A scheme is chosen by what a model's caches and attention can do, found out by trying."""

import json
import logging

import mlx.core as mx
import pytest

from hub.errors import KvQuantRefused
from inference.engine.batch_probe import can_batch
from inference.engine.cache.choice import choose_scheme
from inference.engine.cache.kv_config import FILE_NAME
from inference.engine.cache.quantized.affine import AffineCache
from inference.engine.cache.quantized.decoded import DecodedAffineCache, TurboCache
from inference.engine.cache.scheme import BF16
from inference.kv_quant import KvQuant

WINDOWS = "1 of 2 layers keep a window or a state and stay bf16"


@pytest.fixture
def choose(tiny_model, tmp_path):
    def choose(kind, asked, layers=None):
        if layers is not None:
            rows = [{"layer_idx": index, "bits": bits} for index, bits in layers.items()]
            (tmp_path / FILE_NAME).write_text(json.dumps(rows), encoding="utf-8")
        return choose_scheme(tiny_model(kind).model, KvQuant.parse(asked), tmp_path)

    return choose


def test_off_leaves_all_as_it_is(choose):
    assert choose("llama", "off") is BF16


@pytest.mark.parametrize(
    ("asked", "name", "mode", "bytes_of_one"),
    [
        ("4", "kv4", "uniform-kv4", 0.5 + 8 / 64),
        ("8", "kv8", "uniform-kv8", 1 + 8 / 64),
        ("turbo", "turbo-k8v3", "turbo k8v3", 4),
        ("turbo:k4v2", "turbo-k4v2", "turbo k4v2", 4),
    ],
)
def test_one_width_for_all_layers(asked, name, mode, bytes_of_one, choose):
    scheme = choose("wide_llama", asked)

    assert (scheme.name, scheme.mode, scheme.batches) == (name, mode, False)
    assert scheme.layer_counts == {name: 2}
    assert scheme.element_bytes(4) == (bytes_of_one, bytes_of_one)


@pytest.mark.parametrize(("asked", "made"), [("4", AffineCache), ("turbo", TurboCache)])
def test_caches_are_made_for_every_layer(asked, made, choose, tiny_model):
    caches = choose("wide_llama", asked).make_caches(tiny_model("wide_llama").model)

    assert [type(cache) for cache in caches] == [made, made]


def test_a_file_gives_each_layer_its_width(choose, tiny_model):
    scheme = choose("wide_llama", "config", {1: 8})

    assert (scheme.name, scheme.mode) == ("config", "mixed (kv_config.json)")
    assert scheme.layer_counts == {"bf16": 1, "kv8": 1}
    assert scheme.element_bytes(2) == (2, 1 + 4 / 64)
    assert can_batch(tiny_model("wide_llama").model, scheme)


def test_without_the_file_all_stays_as_it_is(choose, caplog):
    assert choose("wide_llama", "config") is BF16
    assert "has no kv_config.json, so all layers stay bf16" in caplog.text


def test_a_file_that_names_a_window_is_served_one_at_a_time(choose, caplog):
    scheme = choose("wide_gemma3_text", "config", {0: 4, 1: 4})

    assert scheme.layer_counts == {"bf16": 1, "kv4": 1}
    assert not scheme.batches
    assert len(caplog.records) == 1
    assert "1 of the layers that kv_config.json names" in caplog.text


def test_states_beside_quantized_layers_share_steps(choose, tiny_model):
    scheme = choose("wide_qwen3_5", "config", {1: 4})

    assert scheme.layer_counts == {"kv4": 1}
    assert can_batch(tiny_model("wide_qwen3_5").model, scheme)


@pytest.mark.parametrize("asked", ["4", "8", "turbo"])
def test_windows_stay_as_they_are_with_one_warning(asked, choose, caplog):
    scheme = choose("wide_gemma3_text", asked)

    assert scheme.layer_counts == {"bf16": 1, scheme.name: 1}
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert WINDOWS in caplog.text


# Attention with a path of its own: soft caps, keys and values of another layer, a latent.
@pytest.mark.parametrize("kind", ["wide_gemma2", "wide_gemma4_text", "wide_deepseek_v3"])
def test_attention_that_reads_no_codes_has_them_decoded(kind, choose, tiny_model):
    scheme = choose(kind, "8")

    made = {type(cache) for cache in scheme.make_caches(tiny_model(kind).model)}
    assert DecodedAffineCache in made
    assert AffineCache not in made


def test_attention_that_gets_codes_wrong_has_them_decoded(choose, monkeypatch, tiny_model):
    monkeypatch.setattr(AffineCache, "make_mask", lambda self, N, **options: None)

    scheme = choose("wide_llama", "8")

    assert type(scheme.make_caches(tiny_model("wide_llama").model)[0]) is DecodedAffineCache


@pytest.mark.parametrize(
    ("kind", "asked", "why"),
    [
        ("llama", "8", "layer 0 has heads of 16 numbers, which groups of 64 do not divide"),
        ("llama", "turbo", "layer 0 has heads of 16 numbers, not of 64, 128, 256, 512"),
        ("mamba2", "4", "no layer of this model keeps the keys and values of all tokens"),
        ("mamba2", "turbo", "no layer of this model keeps the keys and values of all tokens"),
    ],
)
def test_a_model_that_cannot_be_quantized_so_ends_the_start(kind, asked, why, choose):
    with pytest.raises(KvQuantRefused) as refused:
        choose(kind, asked)

    assert str(refused.value) == (
        f"this model cannot be served with --kv-quant {KvQuant.parse(asked)}: {why}; "
        "serve it with --kv-quant off, or serve another model"
    )


def test_a_file_that_names_a_layer_too_many_ends_the_start(choose):
    with pytest.raises(KvQuantRefused, match=r"names layer 2, but .* go from 0 to 1"):
        choose("wide_llama", "config", {2: 4})


def test_attention_that_can_use_neither_ends_the_start(choose, monkeypatch):
    for made in (AffineCache, DecodedAffineCache):
        monkeypatch.setattr(made, "update_and_fetch", lambda self, keys, values: (keys, None))

    with pytest.raises(KvQuantRefused, match="attention cannot use them"):
        choose("wide_llama", "8")


def test_a_wrong_rotation_ends_the_start(choose, monkeypatch):
    monkeypatch.setattr(
        "inference.engine.cache.quantized.codecs.rotate_back",
        mx.zeros_like,
    )

    with pytest.raises(KvQuantRefused, match="its answers differ by"):
        choose("wide_llama", "turbo")
