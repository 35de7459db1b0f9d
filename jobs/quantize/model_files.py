"""Everything of a model folder but its weights: config, tokenizer, template, licence, card."""

import fnmatch
import shutil
from pathlib import Path
from typing import Any

from mlx_lm.utils import save_config

from hub.uploads.folder import is_own
from jobs.quantize.plan import Plan

_COPIED = (
    "*.jinja", "*.model", "*.tiktoken", "added_tokens.json", "chat_template.json",
    "generation_config.json", "merges.txt", "special_tokens_map.json", "tekken.json",
    "tokenizer*.json", "vocab*", "LICENSE*", "LICENCE*", "NOTICE*", "USE_POLICY*",
)  # fmt: skip
_LARGEST_BYTES = 256 * 2**20
_QUANTIZATION = ("quantization", "quantization_config", "quantize_activations")


def copy_side_files(source: Path, folder: Path) -> None:
    """Copy what belongs to a model beside config and weights, as it is.

    A link that leads out of the source is left out: it could be anybody's file.
    """
    for file in sorted(source.iterdir()):
        wanted = any(fnmatch.fnmatchcase(file.name, pattern) for pattern in _COPIED)
        if wanted and _is_copyable(source, file):
            shutil.copyfile(file, folder / file.name)
    templates = source / "additional_chat_templates"
    if templates.is_dir() and not templates.is_symlink():
        (folder / templates.name).mkdir()
        for file in sorted(templates.glob("*.jinja")):
            if _is_copyable(source, file):
                shutil.copyfile(file, folder / templates.name / file.name)


def write_config(
    path: Path, config: dict[str, Any], plan: Plan, *, bits: int, group_size: int, dtype: str
) -> None:
    """Write `config.json` of the quantized model, as mlx-lm reads it.

    bits, group_size: of modules that the plan gives no others. dtype: of floating arrays.
    """
    quantization: dict[str, Any] = {"group_size": group_size, "bits": bits, "mode": "affine"}
    for name, width in sorted(plan.items()):
        if (width.bits, width.group_size) != (bits, group_size):
            quantization[name] = {
                "group_size": width.group_size, "bits": width.bits, "mode": "affine"
            }  # fmt: skip
    text = config.get("text_config")
    written = {
        **_without_quantization(config),
        **({"text_config": _without_quantization(text)} if isinstance(text, dict) else {}),
        "quantization": quantization,
    }
    for section in (written, written.get("text_config", {})):
        for key in ("torch_dtype", "dtype"):
            if key in section:
                section[key] = dtype
    save_config(written, path)


def _is_copyable(source: Path, file: Path) -> bool:
    return is_own(source, file) and file.is_file() and file.stat().st_size <= _LARGEST_BYTES


def _without_quantization(config: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in config.items() if name not in _QUANTIZATION}
