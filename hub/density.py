"""Whether quantized weights are expanded at load: one rule, for the engine and for what is said
of a model before it is loaded. What of a memory is room for weights, `hub.fit` says.
"""

from enum import StrEnum


class WeightsOption(StrEnum):
    """What `--weights` asks for."""

    AUTO = "auto"
    QUANTIZED = "quantized"
    DENSE = "dense"


def expands(option: WeightsOption, expanded_bytes: int | None, room_bytes: int) -> bool:
    """Whether packed weights are expanded.

    expanded_bytes: what they take then; None where the packed ones are the fast ones.
    room_bytes: what weights may take, by `fit.weight_room`.
    """
    if option is not WeightsOption.AUTO:
        return option is WeightsOption.DENSE
    return expanded_bytes is not None and expanded_bytes <= room_bytes
