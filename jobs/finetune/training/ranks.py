"""Which rank each adapted layer gets.

`by_bits`: quantizers keep the layers that matter most in more bits. A layer's rank is in
proportion to its bits, `ceil(rank * bits / usual)`, where `usual` is the width that most of the
adapted layers have, and at most twice the rank asked for. Where all layers have one width, or
none is quantized, that is the rank itself; layers that are not quantized always have it.
`constant`: the same rank for all.
"""

import math
from collections import Counter
from collections.abc import Mapping

from jobs.finetune.config import RankScaling


def choose_ranks(bits: Mapping[str, int | None], rank: int, scaling: RankScaling) -> dict[str, int]:
    """Return the rank of each layer. bits: width by layer, None if it is not quantized."""
    widths = Counter(width for width in bits.values() if width)
    if scaling is RankScaling.CONSTANT or not widths:
        return dict.fromkeys(bits, rank)
    # Of two widths that are as frequent, the smaller one is usual.
    usual = min(widths, key=lambda width: (-widths[width], width))
    return {
        layer: rank if not width else min(math.ceil(rank * width / usual), 2 * rank)
        for layer, width in bits.items()
    }
