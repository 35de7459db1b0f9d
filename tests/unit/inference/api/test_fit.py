"""The body of the fit route, against figures worked out by hand."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from hub.assessment import assess_here
from hub.capabilities import Capabilities
from hub.decode_rates import MeasuredRate
from hub.library import Entry
from hub.local_model import LocalModel
from hub.support import Tier
from inference.api.fit import fit_body
from inference.model_info import GenerationDefaults
from inference.service import ServiceConfig
from tests.plugins.five_models import CASES, CONTEXT, M4_PRO, TRANSIENT, USABLE, Case


def entry(case: Case, measured: MeasuredRate | None = None) -> Entry:
    model = LocalModel(
        repo_id="org/model",
        path=Path("model"),
        snapshot="abc",
        model_type=case.config["model_type"],
        weights=case.weights,
        quantization=None,
        capabilities=Capabilities(),
        tier=Tier.TARGETED,
        made_to_chat=True,
        known_shape=case.shape,
    )
    return Entry(model, assess_here(case.shape, case.weights, M4_PRO, CONTEXT), measured)


def loaded(case: Case, context: int = CONTEXT) -> ServiceConfig:
    return ServiceConfig(
        defaults=GenerationDefaults(),
        max_tokens=None,
        max_context=context,
        usable_bytes=USABLE,
        weight_bytes=case.weight_bytes,
    )


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_report_is_that_of_the_loaded_model_at_its_longest_context(case: Case) -> None:
    body = fit_body(loaded(case), M4_PRO, entry(case))

    assert body["machine"] == {
        "chip": "M4 Pro",
        "ram_bytes": 25_769_803_776,
        "bandwidth_gbs": 273,
    }
    assert (body["context_tokens"], body["typical_context_tokens"]) == (8192, 8192)
    assert body["report"] == {
        "fits": case.fits,
        "weights_bytes": case.weight_bytes,
        "kv_bytes": case.kv_bytes,
        "transient_bytes": TRANSIENT,
        "total_bytes": case.weight_bytes + case.kv_bytes + TRANSIENT,
        "usable_bytes": USABLE,
        "max_safe_context": 8192,
        "predicted_decode_tps": pytest.approx(case.tps, abs=0.001),
    }
    assert body["typical_decode_tps"] == body["report"]["predicted_decode_tps"]


def test_a_long_context_is_slower_than_the_typical_one() -> None:
    case = CASES["dense"]

    body = fit_body(loaded(case, context=100_000), M4_PRO, entry(case))

    # 273e9 / (4.5e9 + 100,000 x 131,072) x 0.82, and 40.163 at 8,192 tokens as before.
    assert (body["context_tokens"], body["typical_context_tokens"]) == (100_000, 8192)
    assert body["report"]["predicted_decode_tps"] == pytest.approx(12.714, abs=0.001)
    assert body["typical_decode_tps"] == pytest.approx(40.163, abs=0.001)


def test_weights_count_as_they_are_in_memory_and_experts_with_them() -> None:
    case = CASES["mixture"]
    half = ServiceConfig(
        GenerationDefaults(), None, CONTEXT, usable_bytes=USABLE, weight_bytes=8_600_000_000
    )

    body = fit_body(half, M4_PRO, entry(case))

    # 273e9 / (8.6e9 - 8e9 x 120/128 + 805,306,368) x 0.76
    assert body["report"]["weights_bytes"] == 8_600_000_000
    assert body["report"]["predicted_decode_tps"] == pytest.approx(108.896, abs=0.001)


def test_a_measured_rate_is_told_beside_the_prediction() -> None:
    case = CASES["dense"]
    rate = MeasuredRate(38.5, datetime(2026, 7, 1, 12, tzinfo=UTC))

    body = fit_body(loaded(case), M4_PRO, entry(case, rate))
    without = fit_body(loaded(case), M4_PRO, entry(case))

    assert (body["measured_decode_tps"], body["measured_at"]) == (38.5, 1_782_907_200_000)
    assert (without["measured_decode_tps"], without["measured_at"]) == (None, None)


def test_the_matrix_names_each_machine_by_chip_and_memory() -> None:
    case = CASES["dense"]

    body = fit_body(loaded(case), M4_PRO, entry(case))

    [row] = [row for row in body["sku_matrix"] if row["sku"] == "M4 Pro 24 GB"]
    # 4.5e9 + 4,294,967,296 + 1,126,400,000 = 9,921,367,296 of 19,327,352,832;
    # 273e9 / (4.5e9 + 4,294,967,296) x 0.82.
    assert body["sku_matrix_ctx"] == 32_768
    assert row == {
        "sku": "M4 Pro 24 GB",
        "ram_gb": 24,
        "fits": True,
        "max_context": 104_529,
        "decode_tps": pytest.approx(25.453, abs=0.001),
    }


def test_a_scripted_model_weighs_nothing_and_fits_everywhere() -> None:
    config = ServiceConfig(GenerationDefaults(), None, CONTEXT)

    body = fit_body(config, M4_PRO, None)

    assert body["report"]["total_bytes"] == TRANSIENT
    assert body["report"]["usable_bytes"] == USABLE
    assert body["report"]["predicted_decode_tps"] == 0
    assert all(row["fits"] and row["max_context"] == CONTEXT for row in body["sku_matrix"])
