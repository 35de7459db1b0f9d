"""A manifest: a small file that says which adapter belongs to which model."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hub.starter.staging import staged_folder
from inference.adapters.config import has_config
from jobs.errors import JobError
from jobs.finetune.adapters.folder import write_json

MANIFEST = "manifest.json"


def export_manifest(
    target: Path, *, base_model: str, adapter_path: Path, method: str | None = None
) -> dict[str, Any]:
    """Write `manifest.json` into `target` and return what it says. Raises JobError."""
    try:
        is_adapter = has_config(adapter_path)
    except OSError as error:
        raise JobError(f"{adapter_path} cannot be read ({error.strerror})") from error
    if not is_adapter:
        raise JobError(f"{adapter_path} holds no adapter; name the folder of one")
    manifest = {
        "version": 1,
        "base_model": base_model,
        "adapter_path": str(adapter_path),
        **({"method": method} if method else {}),
        "created_at": datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
    }
    target.parent.mkdir(parents=True, exist_ok=True)
    with staged_folder(target) as folder:
        write_json(folder / MANIFEST, manifest)
    return manifest
