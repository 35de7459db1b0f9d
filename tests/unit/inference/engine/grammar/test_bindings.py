import importlib.util
import subprocess
import sys

from inference.constraint import GrammarNotEnforced
from inference.engine.grammar import bindings
from inference.engine.grammar.bindings import load_bindings


def test_a_missing_xgrammar_is_told_and_not_raised(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)

    assert load_bindings() == GrammarNotEnforced(
        "xgrammar is not installed; install mlxsite with its xgrammar extra"
    )


def test_an_xgrammar_that_does_not_load_is_told_and_not_raised(monkeypatch):
    def fail():
        raise ImportError("no tvm_ffi")

    monkeypatch.setattr(bindings, "_import", fail)
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: importlib.machinery.ModuleSpec(name, None)
    )

    assert load_bindings() == GrammarNotEnforced("xgrammar cannot be loaded: no tvm_ffi")
    assert "xgrammar" not in sys.modules


def test_importing_the_modules_imports_neither_xgrammar_nor_mlx():
    code = (
        "import sys, inference.engine.grammar.compiler, inference.engine.grammar.after_marker\n"
        "found = {'xgrammar', 'tvm_ffi', 'torch', 'mlx'} & set(sys.modules)\n"
        "assert not found, found\n"
    )

    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_xgrammar_loads_without_torch(xgrammar):
    code = (
        "import sys\n"
        "sys.modules['torch'] = None  # an import of it fails\n"
        "from inference.engine.grammar.bindings import Bindings, load_bindings\n"
        "found = load_bindings()\n"
        "assert isinstance(found, Bindings), found\n"
        "assert 'xgrammar' not in sys.modules\n"
    )

    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
