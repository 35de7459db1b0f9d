"""What must hold before the server starts; `manage.py check` asks the same."""

import os
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register

from mlxsite import schedule


@register()
def folders_are_writable(**_: Any) -> list[CheckMessage]:
    """The state and cache folders exist, or can be made, and take files."""
    folders = [
        (settings.STATE_DIR, "MLXSITE_STATE_DIR", "mlxsite.E001"),
        (settings.CACHE_DIR, "MLXSITE_CACHE_DIR", "mlxsite.E002"),
    ]
    return [
        Error(
            f"{folder} cannot be written: {reason}",
            hint=f"Make it writable for this user, or name another folder in {variable}.",
            id=id,
        )
        for folder, variable, id in folders
        if (reason := _why_not_writable(folder))
    ]


@register()
def database_is_usable(**_: Any) -> list[CheckMessage]:
    """A database that was named and cannot be used stops everything, before a row is written."""
    if not settings.DATABASE_PROBLEM:
        return []
    hint = "docs/configuration.md has examples; without the variable, SQLite is used."
    return [
        Error(
            f"MLXSITE_DATABASE_URL cannot be used: {settings.DATABASE_PROBLEM}",
            hint=hint,
            id="mlxsite.E004",
        )
    ]


@register()
def secrets_are_private(**_: Any) -> list[CheckMessage]:
    """Nobody but the owner reads the secret key and the saved token of the Hub."""
    if os.name != "posix":
        return []
    secrets: list[Path] = [settings.STATE_DIR / "secret_key", settings.HF_TOKENS.saved]
    return [
        Warning(
            f"{path} can be read by other users", hint=f"Run: chmod 600 {path}", id="mlxsite.W001"
        )
        for path in secrets
        if path.exists() and path.stat().st_mode & 0o077
    ]


@register()
def variables_are_known(**_: Any) -> list[CheckMessage]:
    """A misspelt variable would otherwise be without effect, silently."""
    return [
        Warning(
            f"{name} is not a variable of this program",
            hint="docs/configuration.md lists them all.",
            id="mlxsite.W002",
        )
        for name in settings.ENVIRONMENT.unknown
    ]


@register()
def switches_are_on_or_off(**_: Any) -> list[CheckMessage]:
    """A switch that is neither would count as off, silently."""
    value = settings.ENVIRONMENT.p2r_trace
    if value in ("0", "1"):
        return []
    hint = "Set it to 1 or 0, or leave it unset."
    return [Error(f"MLXSITE_P2R_TRACE is {value!r}", hint=hint, id="mlxsite.E003")]


@register()
def synthesis_can_be_scheduled(**_: Any) -> list[CheckMessage]:
    """A time that cannot be read would otherwise never come."""
    at, batch = settings.ENVIRONMENT.memory_at, settings.ENVIRONMENT.memory_batch
    found: list[CheckMessage] = []
    if not schedule.is_time(at):
        hint = "Set it to a time of day such as 03:00, or to off."
        found.append(Error(f"MLXSITE_MEMORY_AT is {at!r}", hint=hint, id="mlxsite.E005"))
    if schedule.read_batch(batch) is None:
        hint = f"Set it to a whole number from 1 to {schedule.LARGEST_BATCH}."
        found.append(Error(f"MLXSITE_MEMORY_BATCH is {batch!r}", hint=hint, id="mlxsite.E006"))
    return found


@register()
def platform_is_supported(**_: Any) -> list[CheckMessage]:
    """MLX runs on macOS with Apple silicon and on Linux."""
    if sys.platform in ("darwin", "linux"):
        return []
    hint = "Use macOS on Apple silicon, or Linux with the extra `cpu` or `cuda`."
    return [Warning(f"{sys.platform} is untested", hint=hint, id="mlxsite.W003")]


def _why_not_writable(folder: Path) -> str:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        return error.strerror or str(error)
    return "" if os.access(folder, os.W_OK | os.X_OK) else "no permission"
