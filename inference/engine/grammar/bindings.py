"""xgrammar's native library, loaded late and without the half of its package that needs torch.

xgrammar 0.2.9 lists torch as a requirement and imports it at once, for helpers that are not
used here. What is used runs without: the tokenizer's description, the compiler, and the
matcher, which fills plain numpy arrays. So the package is opened without its `__init__`, and
neither torch's hundreds of megabytes nor its seconds of import are spent. This can go when
xgrammar imports without torch; until then its version is pinned exactly.
"""

import importlib
import importlib.util
import sys
import threading
from types import ModuleType
from typing import Any, NamedTuple

from inference.constraint import GrammarNotEnforced

_lock = threading.Lock()


class Bindings(NamedTuple):
    """The classes in use: `Matcher` is the native one, the others are xgrammar's own."""

    TokenizerInfo: Any
    VocabType: Any
    Compiler: Any
    Grammar: Any
    Matcher: Any


def load_bindings() -> Bindings | GrammarNotEnforced:
    """Return xgrammar's classes, or why they cannot be had. Half a second the first time."""
    with _lock:
        spec = importlib.util.find_spec("xgrammar")
        if spec is None:
            return GrammarNotEnforced(
                "xgrammar is not installed; install mlxsite with its xgrammar extra"
            )
        is_borrowed = "xgrammar" not in sys.modules
        if is_borrowed:
            hollow = ModuleType("xgrammar")
            hollow.__path__ = list(spec.submodule_search_locations or ())
            sys.modules["xgrammar"] = hollow
        try:
            return _import()
        except (ImportError, OSError, AttributeError, ValueError) as error:
            return GrammarNotEnforced(f"xgrammar cannot be loaded: {error}")
        finally:
            if is_borrowed:
                # Whoever imports xgrammar later gets all of it.
                del sys.modules["xgrammar"]


def _import() -> Bindings:
    importlib.import_module("xgrammar.load_binding")
    tokenizer_info = importlib.import_module("xgrammar.tokenizer_info")
    return Bindings(
        TokenizerInfo=tokenizer_info.TokenizerInfo,
        VocabType=tokenizer_info.VocabType,
        Compiler=importlib.import_module("xgrammar.compiler").GrammarCompiler,
        Grammar=importlib.import_module("xgrammar.grammar").Grammar,
        Matcher=importlib.import_module("xgrammar.base")._core.GrammarMatcher,
    )
