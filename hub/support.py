"""How well a model is supported: by what mlx-lm can import, and by what the tests run.

mlx-lm is read, not imported: importing it brings MLX, which no web process needs.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hub.errors import BrokenModel
from hub.quantization import is_loadable
from hub.text_config import model_type, words

# mlx-lm's own tables of types that another module builds.
BY_TYPE, BY_CLASS = "MODEL_REMAPPING", "MODEL_ARCHITECTURE_REMAPPING"


class Tier(StrEnum):
    """`targeted`: a family whose models the tests run. `generic`: mlx-lm knows it."""

    TARGETED = "targeted"
    GENERIC = "generic"


# mlx-lm's modules of which the tests run a model.
TARGETED = frozenset(
    {
        "deepseek_v3",
        "gemma2",
        "gemma3_text",
        "gemma4",
        "gemma4_text",
        "llama",
        "qwen3",
        "qwen3_5",
        "qwen3_5_moe",
        "qwen3_moe",
        "qwen3_next",
    }
)


@dataclass(frozen=True, slots=True)
class Architectures:
    """What mlx-lm can build.

    modules: names of its model modules. by_type: module by model type, where they differ.
    by_class: the same by model type and class, which wins.
    """

    modules: frozenset[str]
    by_type: Mapping[str, str]
    by_class: Mapping[tuple[str, str], str]


def support_tier(config: Mapping[str, Any]) -> Tier:
    """The tier of a parsed `config.json`; raises BrokenModel for what mlx-lm cannot load."""
    if config.get("model_file") is not None:
        raise BrokenModel("it brings its own code, which is never run")
    if not is_loadable(config):
        raise BrokenModel("mlx-lm cannot load weights that are quantized like this")
    module = _module(config, known_architectures())
    if module is None:
        raise BrokenModel(f"mlx-lm knows no model type {model_type(config)!r}")
    return Tier.TARGETED if module in TARGETED else Tier.GENERIC


@lru_cache(maxsize=1)
def known_architectures() -> Architectures:
    """Read mlx-lm's sources, once in a process; empty where it is not installed."""
    spec = find_spec("mlx_lm")
    if spec is None or spec.origin is None:
        return Architectures(frozenset(), {}, {})
    package = Path(spec.origin).parent
    tables = _tables(package / "utils.py")
    return Architectures(
        modules=frozenset(
            path.stem for path in (package / "models").glob("*.py") if _defines_model(path)
        ),
        by_type=tables.get(BY_TYPE, {}),
        by_class=tables.get(BY_CLASS, {}),
    )


def _module(config: Mapping[str, Any], known: Architectures) -> str | None:
    """The module that mlx-lm would import for this config, if there is one."""
    kind = model_type(config)
    for name in words(config.get("architectures")):
        if (kind, name) in known.by_class:
            return known.by_class[kind, name]
    module = known.by_type.get(kind, kind)
    return module if module in known.modules else None


def _tables(source: Path) -> dict[str, Any]:
    """The two tables in mlx-lm's loader, by name."""
    return {
        target.id: ast.literal_eval(node.value)
        for node in ast.parse(source.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and target.id in (BY_TYPE, BY_CLASS)
    }


def _defines_model(path: Path) -> bool:
    return "\nclass ModelArgs" in path.read_text(encoding="utf-8")
