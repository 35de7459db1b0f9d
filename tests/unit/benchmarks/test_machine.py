"""A table says what it was measured on."""

from benchmarks.machine import describe_machine


def test_the_versions_that_decide_speed_are_named():
    machine = describe_machine()

    assert {"processor", "OpenBLAS", "mlx", "mlx-lm"} <= machine.keys()
    assert machine["mlx-lm"][0].isdigit()
    assert machine["processor"].endswith(" cores")
