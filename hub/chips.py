"""Memory bandwidth of the chips that MLX runs on: decoding is as fast as memory is."""

# Decimal gigabytes a second, as Apple states them for the largest variant of each chip.
BANDWIDTH_GBPS = {
    "M1": 68,
    "M1 Pro": 200,
    "M1 Max": 400,
    "M1 Ultra": 800,
    "M2": 100,
    "M2 Pro": 200,
    "M2 Max": 400,
    "M2 Ultra": 800,
    "M3": 100,
    "M3 Pro": 150,
    "M3 Max": 400,
    "M3 Ultra": 819,
    "M4": 120,
    "M4 Pro": 273,
    "M4 Max": 546,
}
UNKNOWN_BANDWIDTH_GBPS = 273


def bandwidth_gbps(chip: str) -> int:
    """Bandwidth of a chip named as `hub.machine` names it; a middling one if unknown."""
    return BANDWIDTH_GBPS.get(chip, UNKNOWN_BANDWIDTH_GBPS)
