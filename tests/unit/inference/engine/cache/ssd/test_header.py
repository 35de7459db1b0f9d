"""The format of an entry: it comes back as it went, and nothing else passes for one."""

import io
import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import safe_open

from inference.engine.cache.ssd import entry_io
from inference.engine.cache.ssd.header import BadEntry, encode, file_bytes, read
from tests.plugins.ssd_entries import make_header, make_spill


def write_entry(path, tokens=(1, 2, 3), **fields):
    spill = make_spill(tokens, **fields)
    with path.open("wb") as file:
        entry_io.write(file, spill.header, spill.packed.take)
    return spill.header


def test_a_header_comes_back_as_it_went():
    header = make_header([0, 7, 2**32 - 1], namespace="poet", can_trim=False)
    text = encode(header, {"0.keys": "a" * 64})

    found = read(io.BytesIO(text), len(text) + header.data_bytes)

    assert found.header == header
    assert found.hashes == {"0.keys": "a" * 64, "1.keys": "0" * 64}


def test_a_header_is_equally_long_before_its_hashes_are_known():
    header = make_header(range(100))

    assert len(encode(header, {})) == len(encode(header, {"0.keys": "f" * 64}))


def test_a_file_has_the_size_that_was_foretold(tmp_path):
    header = write_entry(tmp_path / "entry")

    assert (tmp_path / "entry").stat().st_size == file_bytes(header)


def test_other_programs_can_read_it(tmp_path):
    write_entry(tmp_path / "entry")

    with safe_open(tmp_path / "entry", framework="numpy") as file:
        assert sorted(file.keys()) == ["0.keys", "1.keys"]
        assert bytes(file.get_tensor("1.keys")) == b"\2" * 32
        assert json.loads(file.metadata()["entry"])["model"] == "tiny"


def test_tensors_come_back_as_they_went(tmp_path):
    write_entry(tmp_path / "entry")

    with (tmp_path / "entry").open("rb") as file:
        read = list(entry_io.OpenEntry(file, verify=True).tensors())

    assert [bytes(data) for _, data in read] == [b"\1" * 64, b"\2" * 32]


@pytest.mark.parametrize("length", [0, 7, 8, 100, -1, -32])
def test_a_file_that_was_cut_short_is_no_entry(tmp_path, length):
    path = tmp_path / "entry"
    write_entry(path)
    path.write_bytes(path.read_bytes()[:length])

    with pytest.raises(BadEntry):
        entry_io.read_header(path)


def test_a_file_with_something_behind_it_is_no_entry(tmp_path):
    path = tmp_path / "entry"
    write_entry(path)
    path.write_bytes(path.read_bytes() + b"x")

    with pytest.raises(BadEntry, match="cut short"):
        entry_io.read_header(path)


def test_an_entry_of_another_format_is_refused(tmp_path):
    path = tmp_path / "entry"
    write_entry(path)
    text = path.read_bytes().replace(b'\\"format\\": 1', b'\\"format\\": 2')
    path.write_bytes(text)

    with pytest.raises(BadEntry):
        entry_io.read_header(path)


@pytest.mark.parametrize("verify", [True, False])
def test_a_changed_tensor_is_noticed_if_asked_for(tmp_path, verify):
    path = tmp_path / "entry"
    write_entry(path)
    text = bytearray(path.read_bytes())
    text[-1] ^= 1
    path.write_bytes(text)

    with path.open("rb") as file:
        entry = entry_io.OpenEntry(file, verify=verify)
        if verify:
            with pytest.raises(BadEntry, match="corrupt"):
                list(entry.tensors())
        else:
            assert len(list(entry.tensors())) == 2


HEADER = encode(make_header([5, 6, 7], namespace="poet"), {})


@settings(deadline=None)
@given(st.integers(8, len(HEADER) - 1), st.integers(1, 255))
def test_no_changed_byte_of_a_header_changes_what_it_says(at, change):
    text = bytearray(HEADER)
    text[at] ^= change
    size = len(HEADER) + make_header([5, 6, 7]).data_bytes

    try:
        found = read(io.BytesIO(bytes(text)), size)
    except BadEntry:
        return

    assert found.header == make_header([5, 6, 7], namespace="poet")


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_no_bytes_at_all_raise_anything_else(text):
    with pytest.raises(BadEntry):
        read(io.BytesIO(text), len(text))


def test_headers_of_different_tokens_differ():
    header = make_header([1, 2])

    assert encode(header, {}) != encode(replace(header, tokens=[1, 3]), {})
