"""The benchmark of an adapter that nobody chooses runs on models of every kind."""

import pytest

from benchmarks import idle_adapter


@pytest.mark.parametrize("kind", ["llama", "experts"])
def test_models_with_and_without_an_adapter_are_compared(kind, tiny_checkpoint, capsys):
    idle_adapter.main(tiny_checkpoint(kind), rounds=2)

    first, *others = capsys.readouterr().out.splitlines()[2:]
    assert first == "| never mounted one | 1.000 | 1.000 |"
    assert [row.split(" | ")[0] for row in others] == [
        "| mounted, not chosen",
        "| never mounted one, again",
    ]
