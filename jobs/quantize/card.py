"""The README of a quantized model: what it was made of, how, and how good it is."""

from pathlib import Path
from typing import Any

from huggingface_hub import ModelCardData
from huggingface_hub.repocard import metadata_load

from hub.downloads.names import REPO_ID
from hub.uploads.folder import is_own
from jobs.quantize.config import QuantizeConfig
from jobs.quantize.naming import LOCAL_OWNER

_KEPT = ("license", "license_name", "license_link", "language")
_MAX_README_BYTES = 4 * 2**20


def write_card(
    folder: Path, source: Path, source_id: str, config: QuantizeConfig, summary: dict[str, Any]
) -> None:
    """Write `README.md` with the metadata that the Hub reads."""
    facts: dict[str, Any] = {
        "library_name": "mlx", "pipeline_tag": "text-generation", "tags": ["mlx", "quantized"]
    }  # fmt: skip
    if REPO_ID.fullmatch(source_id) and not source_id.startswith(f"{LOCAL_OWNER}/"):
        facts |= {"base_model": source_id, "base_model_relation": "quantized"}
    metadata = ModelCardData(**facts, **_inherited(source)).to_yaml()
    text = f"---\n{metadata}\n---\n\n{_body(source_id, config, summary)}"
    (folder / "README.md").write_text(text, encoding="utf-8")


def _inherited(source: Path) -> dict[str, Any]:
    """What of the source's own metadata holds for the result as well."""
    readme = source / "README.md"
    try:
        if not is_own(source, readme) or readme.stat().st_size > _MAX_README_BYTES:
            return {}
        known = metadata_load(readme)
    except (OSError, ValueError):  # no README, or one whose metadata is none
        return {}
    return {key: known[key] for key in _KEPT if key in known} if isinstance(known, dict) else {}


def _body(source_id: str, config: QuantizeConfig, summary: dict[str, Any]) -> str:
    repo_id = summary["repo_id"]
    return "\n".join(
        [
            f"# {repo_id}",
            "",
            f"{source_id}, quantized for MLX by mlxsite.",
            "",
            *_how(config, summary),
            "",
            "| | Source | This model |",
            "| --- | --- | --- |",
            f"| Size | | {summary['size_bytes'] / 1e6:,.1f} MB |",
            f"| Bits per weight | | {summary['bits_per_weight']:.3f} |",
            f"| Perplexity | {_figure(summary['source_perplexity'])} "
            f"| {_figure(summary['perplexity'])} |",
            f"| KL divergence from {summary['reference']}, nats a token | "
            f"| {_figure(summary['kl'])} |",
            f"| Same likeliest token as {summary['reference']} | | {summary['agreement']:.1%} |",
            "",
            f"Perplexity and divergence are of {summary['judged_tokens']:,} tokens of "
            f"{', '.join(config.calibration_mix)}, which played no part in the quantization. They "
            "compare models with one another, not with figures from elsewhere.",
            *(f"\n> {warning}" for warning in summary["warnings"]),
            "",
            "```shell",
            f"mlx_lm.chat --model {repo_id}",
            "```",
            "",
        ]
    )


def _how(config: QuantizeConfig, summary: dict[str, Any]) -> list[str]:
    group = f"groups of {config.group_size}"
    if config.is_mixed:
        widths = ", ".join(
            f"{count} modules with {bits} bits"
            for bits, count in summary["modules_by_bits"].items()
        )
        lines = [
            f"Mixed precision, {config.target_bpw:g} bits per weight at most, {group}: {widths}. "
            "The width of each follows from its sensitivity, measured on calibration text."
        ]
    else:
        lines = [f"{config.bits} bits, {group}."]
    if rotation := summary.get("rotation"):
        lines.append(
            f"A Hadamard rotation (seed {rotation['seed']}) is folded into the weights. Without "
            f"it the divergence is {_figure(rotation['kl_without'])}."
        )
    return lines


def _figure(value: float | None) -> str:
    return "not finite" if value is None else f"{value:.4g}"
