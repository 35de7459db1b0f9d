"""What was read of model folders, remembered, so that a scan reads only what has changed.

A file of JSON in the cache folder. It can be deleted at any time; one that is damaged, or
was written by other code, counts as empty.
"""

import hashlib
import json
import logging
import os
import tempfile
from collections.abc import Callable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from hub.errors import BrokenModel
from hub.fingerprint import fingerprint
from hub.local_model import LocalModel, unreadable
from hub.model_record import from_record, to_record

logger = logging.getLogger(__name__)

Read = Callable[[Path, str], LocalModel]


class Index:
    """Models, and reasons why others are none, by folder. Serves one scan, on one thread."""

    def __init__(self, path: Path, read: Read) -> None:
        """path: the file, which need not exist. read: reads a folder that is not known."""
        self._path = path
        self._read = read
        self._known = _load(path)
        self._used: dict[str, Any] = {}

    def model(self, folder: Path, repo_id: str) -> LocalModel:
        """Read a folder, from memory if it has not changed since.

        Raises BrokenModel for a folder that is no model, from memory as well.
        """
        try:
            seen = fingerprint(folder)
        except OSError as error:
            raise unreadable(error) from error
        key = str(folder)
        entry = self._known.get(key)
        if isinstance(entry, dict) and (entry.get("seen"), entry.get("repo_id")) == (seen, repo_id):
            try:
                model = _recall(entry, folder)
            except (KeyError, TypeError, ValueError, AttributeError):
                pass  # damaged: read anew
            else:
                self._used[key] = entry
                return _model_or_raise(model)
        known = {"seen": seen, "repo_id": repo_id}
        try:
            read = self._read(folder, repo_id)
        except BrokenModel as error:
            if not _may_pass(error):
                self._used[key] = {**known, "problem": str(error)}
            raise
        self._used[key] = {**known, "model": to_record(read)}
        return read

    def save(self) -> None:
        """Write what this scan used and forget the rest; failing to is no fault of the scan."""
        if self._used == self._known:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(prefix=".index-", dir=self._path.parent)
            draft = Path(name)
            try:
                with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                    json.dump({"rules": _rules(), "folders": self._used}, file)
                draft.replace(self._path)
            finally:
                draft.unlink(missing_ok=True)
        except OSError as error:
            logger.warning("the index of models cannot be kept: %s", error)


def _may_pass(error: BrokenModel) -> bool:
    """Whether the folder can become a model without any of its files being another then.

    So it is when the system refused to read one; one that is missing changes what is seen.
    """
    cause = error.__cause__
    return isinstance(cause, OSError) and not isinstance(cause, FileNotFoundError)


def _model_or_raise(model: LocalModel | str) -> LocalModel:
    if isinstance(model, str):
        raise BrokenModel(model)
    return model


def _recall(entry: dict[str, Any], folder: Path) -> LocalModel | str:
    if "problem" in entry:
        return str(entry["problem"])
    return from_record(entry["model"], folder)


def _load(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(value, dict) or value.get("rules") != _rules():
        return {}
    folders = value.get("folders")
    return folders if isinstance(folders, dict) else {}


@cache
def _rules() -> str:
    """What decides how a folder is read: mlx-lm's version and the source of this app."""
    digest = hashlib.blake2b(_mlx_lm_version().encode(), digest_size=8)
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()


def _mlx_lm_version() -> str:
    try:
        return version("mlx-lm")
    except PackageNotFoundError:
        return ""
