"""Direct decode runs in a process of its own, whose failure is told in its own words."""

import pytest

from benchmarks.direct_decode import direct_rate


@pytest.mark.slow
def test_a_folder_without_a_model_is_named(tmp_path):
    with pytest.raises(RuntimeError, match=r"config\.json|FileNotFound"):
        direct_rate(tmp_path, 1, 1, timeout_seconds=60)


def test_it_is_not_waited_for_longer_than_agreed(tmp_path):
    with pytest.raises(RuntimeError, match="more than 0 s"):
        direct_rate(tmp_path, 1, 1, timeout_seconds=0.01)
