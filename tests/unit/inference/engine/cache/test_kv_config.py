"""kv_config.json gives layers their bits; whatever else it says ends the start."""

import json

import pytest

from hub.errors import KvQuantRefused
from inference.engine.cache.kv_config import FILE_NAME, read_kv_config

LAYERS = 4


@pytest.fixture
def read(tmp_path):
    def read(rows):
        text = rows if isinstance(rows, str) else json.dumps(rows)
        (tmp_path / FILE_NAME).write_text(text, encoding="utf-8")
        return read_kv_config(tmp_path, LAYERS)

    return read


def row(layer=0, bits=4, **more):
    return {"layer_idx": layer, "bits": bits, **more}


def test_layers_have_their_bits_and_groups(read):
    assert read([row(0, 8, group_size=32), row(3, 2)]) == {0: (8, 32), 3: (2, 64)}


def test_a_folder_may_have_none(tmp_path):
    assert read_kv_config(tmp_path, LAYERS) is None


def test_what_else_a_row_says_is_left_alone(read):
    assert read([row(1, sensitivity=0.5)]) == {1: (4, 64)}


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        ("[", "not JSON"),
        ({"0": 4}, "not a list"),
        ([], "not a list"),
        ([4], "holds 4, which is not an object"),
        ([{"bits": 4}], "without a whole number as 'layer_idx'"),
        ([row(True)], "without a whole number as 'layer_idx'"),
        ([row(0, "4")], "without a whole number as 'bits'"),
        ([row(0, group_size=None)], "without a whole number as 'group_size'"),
        ([row(4)], "names layer 4, but the layers of this model that keep anything go from 0 to 3"),
        ([row(-1)], "names layer -1"),
        ([row(0, 3)], "gives layer 0 bits of 3, not of 2, 4, 8"),
        ([row(0, group_size=48)], "gives layer 0 group_size of 48, not of 32, 64, 128"),
        ([row(2), row(2, 8)], "names layer 2 twice"),
    ],
)
def test_a_refusal_says_what_is_wrong_and_what_to_do(read, rows, what):
    with pytest.raises(KvQuantRefused) as refused:
        read(rows)

    assert what in str(refused.value)
    assert str(refused.value).endswith("; correct the file, or serve with --kv-quant off")
