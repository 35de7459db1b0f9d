"""What `--weights` and the memory make of a quantized model: which is chosen, how it is loaded."""

import pytest

from hub.config import HubConfig
from hub.errors import ModelNotFound
from hub.local_model import read_local_model
from hub.registry import Inventory
from hub.residency import residency
from hub.weights import Part, Weights
from inference import model_service
from inference.engine.backend import Device
from inference.options import ServeOptions
from tests.plugins.listed_model import model

# 10^9 weights of 4 bits: 4 GB in float32.
BILLION = Part(stored_bytes=5 * 10**8, packed_bytes=5 * 10**8, packed_elements=10**9)


@pytest.fixture(autouse=True)
def cpu(monkeypatch):
    """The CPU's policy, whatever the machine computes on."""
    for module in ("model_service", "model_loading", "engine.loader"):
        monkeypatch.setattr(f"inference.{module}.detect_device", lambda: Device.CPU)


@pytest.fixture
def one_model(monkeypatch):
    one = model("org/1b", weights=Weights(BILLION, Part()))
    monkeypatch.setattr(model_service, "scan", lambda hub: Inventory((one,), ()))
    return one


def select(tmp_path, **options):
    return model_service.select_model(ServeOptions(**options), HubConfig(tmp_path, tmp_path))


@pytest.mark.parametrize("weights", ["auto", "quantized"])
def test_a_model_that_fits_packed_alone_is_chosen(one_model, tmp_path, weights):
    assert select(tmp_path, memory_budget=4.5, weights=weights) == one_model


def test_a_model_that_is_to_be_dense_and_does_not_fit_so_is_refused_with_its_size(
    one_model, tmp_path
):
    with pytest.raises(ModelNotFound, match=r"org/1b, needs 5\.\d GB"):
        select(tmp_path, memory_budget=4.5, weights="dense")


# Activations of 1,024 tokens, the tiny model's context, count as 0.56 GB.
@pytest.mark.parametrize(("budget_gb", "dense"), [(0.5, False), (1.0, True)])
def test_the_engine_keeps_what_was_counted_on(quantized_checkpoint, budget_gb, dense):
    local = read_local_model(quantized_checkpoint, "tiny/quantized")

    service = model_service.load_service(local, ServeOptions(memory_budget=budget_gb))
    service.close()

    expected = residency(local.weights, local.shape, Device.CPU, service.config.usable_bytes)
    assert service.config.weight_bytes == expected.weight_bytes
    assert ("weights dense" in service.config.backend) is dense
