import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hub.api.rows import library_row, listed_rows, local_row, skipped_rows
from hub.config import HubConfig
from hub.library import Entry, assess_all
from hub.registry import Skipped, scan
from tests.plugins.five_models import CASES, M4_PRO


@pytest.fixture
def entry(config: HubConfig) -> Entry:
    """The dense case, named as a quantized model that sees."""
    case = CASES["dense"]
    changes = {
        "quantization": {"bits": 4, "group_size": 64},
        "model_type": "gemma4_unified",
        "vision_config": {},
    }
    changed = dataclasses.replace(case, config={**case.config, **changes})
    changed.write(config.models_dir / "org" / "model")
    [found] = assess_all(scan(config), M4_PRO, {}).entries
    return found


ASSESSMENT = {
    "fits": True,
    "max_safe_context": 104_529,
    "predicted_decode_tps": pytest.approx(40.163, abs=0.001),
}


def test_a_row_of_the_library_has_these_fields_and_no_others(entry: Entry) -> None:
    assert library_row(entry, serving=True) == {
        "repo_id": "org/model",
        "model_type": "gemma4_unified",
        "size_bytes": 4_500_000_000,
        "quant_bits": 4,
        "vision": True,
        "audio": False,
        "supported": True,
        "support_tier": "targeted",
        "serving": True,
        "assessment": ASSESSMENT,
    }


def test_a_row_of_the_hub_page_has_these_fields_and_no_others(entry: Entry) -> None:
    assert local_row(entry) == {
        "repo_id": "org/model",
        "model_type": "gemma4_unified",
        "size_bytes": 4_500_000_000,
        "quant_bits": 4,
        "quant_group_size": 64,
        "vision": True,
        "supported": True,
        "support_tier": "targeted",
        "assessment": ASSESSMENT,
    }


@pytest.mark.parametrize(
    ("changes", "assessed"), [({"model_type": "bert"}, True), ({"num_hidden_layers": 0}, False)]
)
def test_what_cannot_be_served_is_listed_as_unsupported(
    config: HubConfig, write_model: Callable[..., Path], changes: dict[str, Any], assessed: bool
) -> None:
    write_model(config.models_dir / "org" / "odd", **changes)
    [odd] = assess_all(scan(config), M4_PRO, {}).entries

    row = library_row(odd, serving=False)

    assert (row["supported"], row["support_tier"], row["quant_bits"]) == (False, None, None)
    assert (row["assessment"] is not None) == assessed
    assert listed_rows([odd.model], served_id="org/served", created=5) == []


def test_the_model_list_has_what_could_be_served_but_not_what_is(entry: Entry) -> None:
    assert listed_rows([entry.model], served_id="org/model", created=5) == []
    assert listed_rows([entry.model], served_id="org/served", created=5) == [
        {"id": "org/model", "object": "model", "created": 5, "vision": True, "tier": "targeted"}
    ]


def test_skipped_folders_have_their_reason() -> None:
    skipped = Skipped("org/broken", Path("somewhere"), "it has no model*.safetensors")

    assert skipped_rows([skipped]) == [
        {"repo_id": "org/broken", "reason": "it has no model*.safetensors"}
    ]
