import pytest

from hub.auto_pick import DEFAULT_MODEL, auto_pick, why_none
from hub.density import WeightsOption
from hub.local_model import LocalModel
from hub.machine import Device, DeviceMemory
from hub.shape import AttentionLayer, ModelShape
from hub.weights import Part, Weights
from tests.plugins.listed_model import GIB, model


def memory(total_bytes: int, device: Device = Device.METAL) -> DeviceMemory:
    return DeviceMemory(device, total_bytes)


def test_the_default_model_is_picked_over_larger_ones() -> None:
    models = [model("org/large", 9), model(DEFAULT_MODEL, 5)]

    picked = auto_pick(models, memory(16 * GIB))

    assert picked is not None
    assert picked.repo_id == DEFAULT_MODEL


def test_a_default_model_that_does_not_fit_is_passed_over() -> None:
    picked = auto_pick([model("org/small", 1), model(DEFAULT_MODEL, 5)], memory(6 * GIB))

    assert picked is not None
    assert picked.repo_id == "org/small"


def test_the_largest_that_leaves_room_for_others_is_picked() -> None:
    # 16 GiB: up to 9.6 GiB coexists, up to 12 GiB fits.
    models = [model("org/1", 1), model("org/8", 8), model("org/10", 10), model("org/20", 20)]

    picked = auto_pick(models, memory(16 * GIB))

    assert picked is not None
    assert picked.repo_id == "org/8"


def test_the_largest_that_fits_at_all_is_picked_when_none_leaves_room() -> None:
    models = [model("org/9.5", 9.5), model("org/10", 10), model("org/20", 20)]

    picked = auto_pick(models, memory(16 * GIB))

    assert picked is not None
    assert picked.repo_id == "org/10"


def test_nothing_is_picked_when_nothing_fits_or_all_are_embedding_models() -> None:
    assert auto_pick([], memory(16 * GIB)) is None
    assert auto_pick([model("org/20", 20)], memory(16 * GIB)) is None
    assert auto_pick([model("org/e", made_to_chat=False)], memory(16 * GIB)) is None


def test_a_model_is_picked_by_what_the_device_keeps_of_it() -> None:
    heavy = ModelShape(attention=(AttentionLayer(2**18),), max_position_embeddings=4096)
    wide = model("org/wide", 1, known_shape=heavy)  # 2 GiB of cache in bfloat16
    models = [model("org/small", 1), model("org/large", 8)]  # a CPU keeps 16 GiB of the large one

    assert auto_pick([wide], memory(6 * GIB)) == wide
    assert auto_pick([wide], memory(6 * GIB, Device.CPU)) is None
    assert auto_pick(models, memory(16 * GIB)) == models[1]
    assert auto_pick(models, memory(16 * GIB, Device.CPU)) == models[0]


@pytest.mark.parametrize(("budget", "name"), [(1, None), (4, "org/2"), (7, "org/5"), (12, "org/8")])
def test_a_budget_bounds_what_is_picked(budget: int, name: str | None) -> None:
    models = [model("org/2", 2), model("org/5", 5), model("org/8", 8), model("org/14", 14)]

    picked = auto_pick(models, memory(16 * GIB), budget * GIB)

    assert (picked and picked.repo_id) == name


def test_a_budget_above_the_usual_share_lets_more_fit() -> None:
    one = model("org/13", 13)

    assert auto_pick([one], memory(16 * GIB)) is None
    assert auto_pick([one], memory(16 * GIB), 15 * GIB) == one


def test_an_empty_machine_is_told_how_to_get_a_model() -> None:
    text = str(why_none([], memory(16 * GIB)))

    assert text == (
        "there is no model on this machine yet; fetch one: 'python manage.py starter_model' "
        "brings a small one (93 MB, no account), 'python manage.py download OWNER/NAME' any of "
        f"the Hugging Face Hub, such as {DEFAULT_MODEL}; or name the folder of a model"
    )


@pytest.mark.parametrize(
    ("found", "budget", "told"),
    [
        (
            [model("org/20", 20), model("org/30", 30)],
            None,
            "fits the 12.9 GB that it may take: the smallest, org/20, needs 22.6 GB; raise --mem",
        ),
        ([model("org/2", 2)], 10**9, "fits the 1.0 GB that it may take: the smallest, org/2, n"),
        ([model("org/e", made_to_chat=False)], None, "is one to chat with that can be served"),
        ([model("org/p", problem="it is odd")], None, "'python manage.py models' says why"),
    ],
)
def test_what_is_here_and_cannot_be_picked_is_told_with_the_reason(
    found: list[LocalModel], budget: int | None, told: str
) -> None:
    text = str(why_none(found, memory(16 * GIB), budget))

    assert told in text
    assert "'python manage.py starter_model'" in text and "\n" not in text


# 10^9 weights of 4 bits in groups of 64, a scale and an offset each: 4 GB in float32, 0.625 GB
# packed there.
_BILLION = Part(
    stored_bytes=562_500_000,
    packed_bytes=500_000_000,
    packed_elements=10**9,
    scale_elements=31_250_000,
)
QUANTIZED = model(
    "org/1b-4bit",
    weights=Weights(_BILLION, Part()),
    known_shape=ModelShape((AttentionLayer(1024),) * 16, max_position_embeddings=131_072),
)


@pytest.mark.parametrize("device", list(Device))
@pytest.mark.parametrize("option", [WeightsOption.AUTO, WeightsOption.QUANTIZED])
def test_more_memory_never_makes_a_model_too_large(device: Device, option: WeightsOption) -> None:
    """From a few megabytes to where it is expanded, through the band where that just fits."""
    sizes = range(GIB, 16 * GIB, 64 * 2**20)

    picked = [auto_pick([QUANTIZED], memory(size, device), None, option) for size in sizes]

    first = picked.index(QUANTIZED)
    assert 0 < first < len(picked)
    assert set(picked[first:]) == {QUANTIZED}


@pytest.mark.parametrize(
    ("option", "fits"),
    [(WeightsOption.AUTO, True), (WeightsOption.QUANTIZED, True), (WeightsOption.DENSE, False)],
)
def test_a_model_is_picked_by_the_density_that_the_operator_wants(
    option: WeightsOption, fits: bool
) -> None:
    small = memory(5 * GIB, Device.CPU)  # 4.03 GB usable, and the weights alone are 4 GB dense

    picked = auto_pick([QUANTIZED], small, None, option)

    assert (picked == QUANTIZED) is fits
    assert "needs 5.4 GB" in str(why_none([QUANTIZED], small, None, WeightsOption.DENSE))
