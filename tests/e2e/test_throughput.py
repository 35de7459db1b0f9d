"""The web side may cost little: measured against the engine's own loop, in one run."""

from pathlib import Path

import pytest

from benchmarks.served_vs_direct import measure

pytestmark = [pytest.mark.alone, pytest.mark.slow, pytest.mark.starter, pytest.mark.openblas]


def test_eight_streams_are_served_at_most_of_the_rate_of_direct_decode(starter_model: Path) -> None:
    served, direct = measure(starter_model, rounds=1)

    assert served >= 0.85 * direct, f"served {served:.1f} tok/s, direct {direct:.1f} tok/s"
