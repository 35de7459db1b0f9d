"""What lies below a folder of adapters is found, whatever else lies there."""

import os

import pytest

from inference.adapters.search import find_adapters
from tests.plugins.adapters import mlx_lm_config, write_config


@pytest.fixture
def write(tmp_path):
    def write(name, config):
        (tmp_path / name).mkdir()
        write_config(tmp_path / name, config)
        return tmp_path / name

    return write


def found(*parents):
    return {
        adapter.id: adapter.config and adapter.config.rank for adapter in find_adapters(parents)
    }


def test_an_adapter_is_a_folder_with_a_configuration(write, tmp_path):
    write("b", mlx_lm_config(8, 1.0))
    write("a", mlx_lm_config(4, 1.0))
    write(".hidden", mlx_lm_config(4, 1.0))
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")

    assert list(found(tmp_path, tmp_path / "absent").items()) == [("a", 4), ("b", 8)]


@pytest.mark.parametrize("rslora", [False, True])
def test_one_that_makes_no_sense_does_not_hide_the_others(rslora, write, tmp_path):
    write("good", mlx_lm_config(8, 1.0))
    peft = {"peft_type": "LORA", "r": 10**400, "lora_alpha": 16, "use_rslora": rslora}
    write("huge", peft)
    write("list", [])

    assert found(tmp_path) == {"good": 8, "huge": None, "list": None}


@pytest.mark.parametrize("shut", ["", "adapter_config.json"])
def test_nor_does_one_that_cannot_be_looked_into(shut, write, tmp_path, monkeypatch):
    """Simulated, since root may look into everything."""
    write("good", mlx_lm_config(8, 1.0))
    locked = str(write("locked", mlx_lm_config(8, 1.0)) / shut)
    stat = os.stat

    def refuse(path, **options):
        if isinstance(path, str | os.PathLike) and os.fspath(path).startswith(locked):
            raise PermissionError(13, "Permission denied", path)
        return stat(path, **options)

    monkeypatch.setattr(os, "stat", refuse)

    assert found(tmp_path) == {"good": 8}
