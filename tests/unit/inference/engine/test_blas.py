"""Loading OpenBLAS: what happens in each case, without loading anything."""

import ctypes
import ctypes.util
import os
import sys

import pytest

from inference.engine import blas
from inference.engine.blas import faster_core_type, load_openblas


@pytest.fixture
def loaded(monkeypatch):
    """Linux with an OpenBLAS; the list holds what was loaded, and how."""
    calls = []
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(ctypes.util, "find_library", lambda name: f"lib{name}.so.0")
    monkeypatch.setattr(blas, "_cpu_facts", lambda: "")
    monkeypatch.setenv("OPENBLAS_CORETYPE", "")  # so that what loading sets is undone
    monkeypatch.delenv("OPENBLAS_CORETYPE")
    monkeypatch.setattr(ctypes, "CDLL", lambda name, mode: calls.append((name, mode)))
    return calls


def test_its_symbols_become_global(loaded):
    assert load_openblas() == "libopenblas.so.0"
    assert loaded == [("libopenblas.so.0", ctypes.RTLD_GLOBAL)]


def test_macos_keeps_accelerate(loaded, monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")

    assert load_openblas() is None
    assert loaded == []


def test_without_the_library_nothing_is_loaded(loaded, monkeypatch):
    monkeypatch.setattr(ctypes.util, "find_library", lambda name: None)

    assert load_openblas() is None
    assert loaded == []


def test_a_library_that_does_not_load_is_passed_over(loaded, monkeypatch):
    def refuse(name, mode):
        raise OSError("wrong ELF class")

    monkeypatch.setattr(ctypes, "CDLL", refuse)

    assert load_openblas() is None


def cpu(vendor, flags):
    return f"processor\t: 0\nvendor_id\t: {vendor}\nflags\t\t: fpu {flags} sse\nbugs\t:\n"


ALL = "avx512f avx512dq avx512bw avx512vl"


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (cpu("AuthenticAMD", ALL), "SkylakeX"),
        (cpu("AuthenticAMD", "avx2 avx512f"), None),
        (cpu("GenuineIntel", ALL), None),  # found without help
        ("", None),
    ],
)
def test_amd_processors_with_avx512_get_its_kernels(facts, expected):
    assert faster_core_type(facts) == expected


@pytest.mark.parametrize(("before", "after"), [(None, "SkylakeX"), ("Zen", "Zen")])
def test_the_kernels_are_chosen_before_loading_unless_the_operator_has(
    loaded, monkeypatch, before, after
):
    monkeypatch.setattr(blas, "_cpu_facts", lambda: cpu("AuthenticAMD", ALL))
    if before:
        monkeypatch.setenv("OPENBLAS_CORETYPE", before)

    load_openblas()

    assert os.environ["OPENBLAS_CORETYPE"] == after
