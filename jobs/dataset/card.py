"""The README of a dataset: how its rows were made, and for the Hub which file is which split."""

from pathlib import Path
from typing import Any

from huggingface_hub import DatasetCardData

from jobs.dataset.order import Order
from jobs.finetune.data.rows import TRAIN, VALID
from jobs.folders import is_path

# Paths are this machine's affair.
_PRIVATE = frozenset({"src_dir"})
SHOWN = 200  # characters of an input


def write_card(folder: Path, order: Order, summary: dict[str, Any]) -> None:
    """Write `README.md`. summary: of `jobs.dataset.run`."""
    splits = [{"split": "train", "path": TRAIN}, {"split": "validation", "path": VALID}]
    metadata = DatasetCardData(
        configs=[{"config_name": "default", "data_files": splits}],
        tags=["mlxsite", order.template.id],
    ).to_yaml()
    text = f"---\n{metadata}\n---\n\n{_body(order, summary)}"
    (folder / "README.md").write_text(text, encoding="utf-8", errors="replace")


def _body(order: Order, summary: dict[str, Any]) -> str:
    template = order.template
    lines = [
        f"# {template.label}",
        "",
        template.description,
        "",
        f"Made by mlxsite, template `{template.id}`, format `{summary['format']}`: "
        f"{summary['n_train']:,} rows in `{TRAIN}`, {summary['n_valid']:,} in `{VALID}`.",
    ]
    if template.needs_llm:
        lines += [
            "",
            f"Written with the help of a language model ({_model(summary['model'])}): "
            f"{summary['calls']:,} calls, of which {summary['failed_calls']:,} failed.",
        ]
    if shown := {key: value for key, value in order.inputs.short().items() if key not in _PRIVATE}:
        lines += ["", "| Input | Value |", "| --- | --- |"]
        lines += [f"| `{key}` | {_cell(value)} |" for key, value in shown.items()]
    if summary["skipped"]:
        lines += ["", "Left out:", ""]
        lines += [f"- {count:,} {what}" for what, count in summary["skipped"].items()]
    return "\n".join([*lines, ""])


def _model(name: str | None) -> str:
    if name is None:
        return "not named"
    return Path(name).name if is_path(name) else name


def _cell(value: str | int) -> str:
    text = str(value)
    text = text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
    return text.replace("|", "\\|").replace("\r", " ")
