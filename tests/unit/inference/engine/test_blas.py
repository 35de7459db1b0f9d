"""Loading OpenBLAS: what happens in each case, without loading anything."""

import ctypes
import ctypes.util
import sys

import pytest

from inference.engine.blas import load_openblas


@pytest.fixture
def loaded(monkeypatch):
    """Linux with an OpenBLAS; the list holds what was loaded, and how."""
    calls = []
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(ctypes.util, "find_library", lambda name: f"lib{name}.so.0")
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
