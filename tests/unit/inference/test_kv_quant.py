"""What --kv-quant takes, and how it reads it."""

import pytest

from inference.kv_quant import KvQuant, KvQuantKind
from inference.options import OptionError, resolve


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("off", KvQuant()),
        ("4", KvQuant(KvQuantKind.UNIFORM, 4, 4)),
        ("8", KvQuant(KvQuantKind.UNIFORM, 8, 8)),
        ("config", KvQuant(KvQuantKind.CONFIG)),
        ("turbo", KvQuant(KvQuantKind.TURBO, 8, 3)),
        ("turbo:k8v3", KvQuant(KvQuantKind.TURBO, 8, 3)),
        ("turbo:k2v5", KvQuant(KvQuantKind.TURBO, 2, 5)),
    ],
)
def test_every_value_is_read(text, expected):
    assert KvQuant.parse(text) == expected


@pytest.mark.parametrize("text", ["off", "4", "8", "config", "turbo:k5v8"])
def test_it_is_shown_as_the_option_spells_it(text):
    assert str(KvQuant.parse(text)) == text


@pytest.mark.parametrize(
    "text", ["", "on", "2", "16", "turbo:", "turbo:k3v3", "turbo:k8v6", "turbo:v3k8", "turbo k8v3"]
)
def test_nothing_else_is_allowed(text):
    with pytest.raises(ValueError, match="^" + text + "$"):
        KvQuant.parse(text)


def test_the_servers_option_tells_what_is_allowed():
    with pytest.raises(OptionError) as refused:
        resolve(arguments={}, environment={"MLXSITE_KV_QUANT": "turbo:k3v3"})

    assert str(refused.value) == (
        "MLXSITE_KV_QUANT: 'turbo:k3v3' is not allowed; expected off, 4, 8, config or turbo, which "
        "takes bits of keys (2, 4, 5, 8) and of values (2, 3, 4, 5, 8): turbo:k8v3"
    )


def test_the_budget_is_in_decimal_gigabytes():
    options = resolve(arguments={}, environment={"MLXSITE_KV_BUDGET": "1.5"})

    assert options.kv_budget_bytes == 1_500_000_000
    assert resolve(arguments={}).kv_budget_bytes is None
