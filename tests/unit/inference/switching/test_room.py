"""What a model needs to be served, and when it is too large, by the figures of five shapes."""

import pytest

from hub.machine import Device
from inference.switching.errors import SwitchRefused
from inference.switching.room import needed_bytes, require_fit
from tests.plugins.five_models import CASES, TRANSIENT, USABLE
from tests.plugins.scripted_models import local_model


@pytest.mark.parametrize("case", ["dense", "sliding", "mixture"])
def test_a_model_needs_its_weights_a_typical_context_and_activations(case):
    model, told = local_model("org/a", case=case), CASES[case]

    need = needed_bytes(model, told.weight_bytes, Device.METAL, USABLE)

    assert need == told.weight_bytes + told.kv_bytes + TRANSIENT


def test_what_a_checkpoint_says_of_its_weights_counts_and_not_what_its_files_say():
    model = local_model("org/a")

    small, large = (needed_bytes(model, size, Device.METAL, USABLE) for size in (10**9, 2 * 10**9))

    assert large - small == 10**9


@pytest.mark.parametrize("case", [name for name, case in CASES.items() if case.max_context > 0])
def test_a_model_with_room_for_some_context_may_be_served(case):
    require_fit(local_model("org/a", case=case), Device.METAL, USABLE)


def test_a_model_whose_weights_leave_no_room_is_refused_with_figures():
    with pytest.raises(SwitchRefused, match="org/a is too large") as refusal:
        require_fit(local_model("org/a", case="hybrid mixture"), Device.METAL, USABLE)

    assert "needs more than 42." in str(refusal.value) and "19.3 GB" in str(refusal.value)
    assert "--memory-budget" in str(refusal.value)
