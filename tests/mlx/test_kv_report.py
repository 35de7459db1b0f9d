"""What the banner and the statistics tell of keys and values."""

from hub.kv_cost import KvCost
from hub.shape import AttentionLayer, LinearLayer, ModelShape
from inference.engine.backend import Device
from inference.engine.cache.scheme import BF16, PLAIN, STATE, KvScheme, affine, turbo
from inference.kv_quant import KvKept
from inference.kv_report import describe_kv, kv_kept

SHAPE = ModelShape(
    attention=(AttentionLayer(100), AttentionLayer(100, sliding=True)),
    linear=(LinearLayer(1, 1, 1, 1, 1),),
    window=8,
)
A_GB_A_TOKEN = KvCost(full=1e9)


def scheme(*formats):
    return KvScheme("config", "mixed (kv_config.json)", batches=True, formats=formats)


def test_layers_count_by_what_they_keep_and_cost_what_it_takes():
    kept = kv_kept(scheme(affine(4, 64), STATE, PLAIN), SHAPE, Device.CPU)

    assert kept == KvKept("mixed (kv_config.json)", {"kv4": 1, "bf16": 1}, (0.625, 4.0))


def test_what_is_not_quantized_counts_by_the_shape():
    assert kv_kept(BF16, SHAPE, Device.CUDA) == KvKept("bf16", {"bf16": 2}, 2.0)


def test_turbo_is_billed_as_if_it_did_not_quantize():
    kept = kv_kept(scheme(turbo(8, 3), STATE, PLAIN), SHAPE, Device.METAL)

    assert kept.layers == {"turbo-k8v3": 1, "bf16": 1}
    assert kept.element_bytes == (2.0, 2.0)


def test_caches_that_the_shape_does_not_know_are_billed_in_full():
    assert kv_kept(scheme(*[affine(4, 64)] * 5), SHAPE, Device.METAL).element_bytes == 2.0


def test_nothing_is_said_of_what_is_always_so():
    assert describe_kv(KvKept(), A_GB_A_TOKEN, None, 100) == []


def test_the_banner_tells_of_quantized_layers_and_the_budget():
    kept = KvKept("uniform-kv8", {"kv8": 3, "bf16": 1})

    assert describe_kv(kept, A_GB_A_TOKEN, 200 * 10**9, 100) == [
        ("KV cache", "uniform-kv8; layers: 3 kv8, 1 bf16"),
        ("KV budget", "200 GB for all requests together"),
    ]


def test_the_banner_warns_where_requests_without_a_limit_would_be_refused():
    rows = describe_kv(KvKept(), A_GB_A_TOKEN, 50 * 10**9, 100)

    assert "a whole context takes 100 GB" in rows[-1][1]
    assert "--max-tokens" in rows[-1][1]
