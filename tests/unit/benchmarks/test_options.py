"""The comparison's command line."""

import pytest

from benchmarks.options import parse
from benchmarks.servers import MLX_LM, MLXSITE


def test_without_arguments_both_servers_are_measured():
    options = parse([])

    assert options.servers == (MLXSITE, MLX_LM)
    assert options.streams == (1, 4, 8, 16)
    assert options.model is None
    assert options.direct


def test_the_sweep_can_be_made_smaller(tmp_path):
    (tmp_path / "config.json").touch()

    options = parse(
        ["--model", str(tmp_path), "--servers", "mlx_lm", "--streams", "1", "2", "1", "--no-direct"]
    )

    assert options.model == tmp_path
    assert options.servers == (MLX_LM,)
    assert options.streams == (1, 2)
    assert not options.direct


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model", "no/such/folder"], "no model folder"),
        (["--streams", "0"], "0"),
        (["--rounds", "two"], "two"),
        (["--servers", "other"], "other"),
        (["--json", "no/such/folder/file"], "no folder that exists"),
    ],
)
def test_a_wrong_argument_ends_with_a_message(arguments, message, capsys):
    with pytest.raises(SystemExit):
        parse(arguments)

    assert message in capsys.readouterr().err
