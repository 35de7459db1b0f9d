"""What the owner may want to know of the running server: the admin's page about it.

Everything here was decided outside of the database, by flags, variables, files and the
machine, so it is shown and not edited. No secret is among it.
"""

import platform
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import django
from django.conf import settings
from django.db import connection

from hub.config import HubConfig
from hub.machine import Device, this_machine
from hub.token import Tokens
from inference import runtime
from inference.errors import EngineNotRunning
from inference.options import TABLE, Option, ServeOptions

GB = 10**9
DEVICES = {Device.CPU: "the CPU", Device.CUDA: "CUDA", Device.METAL: "Metal"}


@dataclass(frozen=True, slots=True)
class Section:
    """Label and value pairs under a title."""

    title: str
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class OptionRow:
    """An option of the server as it is in force; is_default: whether nobody set it."""

    spelling: str
    value: str
    is_default: bool
    help: str


def sections() -> tuple[Section, ...]:
    """All that is known, in the order to show. Asks the machine: may block."""
    return (
        Section("Served model", tuple(_served_model())),
        Section("Machine", tuple(_machine(settings.HUB))),
        Section("Places", tuple(_places(settings.HUB))),
        Section("Who may call", tuple(_callers())),
        Section("Software", tuple(_software())),
    )


def option_rows() -> list[OptionRow]:
    """Every option of the server, as the command that started it decided; none elsewhere."""
    options: ServeOptions | None = settings.SERVE_OPTIONS
    return [] if options is None else [_option_row(option, options) for option in TABLE]


def _option_row(option: Option, options: ServeOptions) -> OptionRow:
    value = getattr(options, option.name)
    return OptionRow(
        spelling=option.spellings[0] if option.spellings else option.environment or option.name,
        value=_in_words(value),
        is_default=value == option.default,
        help=option.help,
    )


def _served_model() -> Iterable[tuple[str, str]]:
    try:
        return runtime.get_service().describe()
    except EngineNotRunning:
        return [("Model", "none: this process serves no model")]


def _machine(config: HubConfig) -> Iterable[tuple[str, str]]:
    machine = this_machine(config)
    yield "Chip", machine.chip
    yield "MLX computes on", DEVICES[machine.device]
    yield "Memory", f"{machine.ram_bytes / GB:,.1f} GB"
    yield "Bandwidth", f"{machine.bandwidth_gbps:,.0f} GB/s"


def _places(config: HubConfig) -> Iterable[tuple[str, str]]:
    yield "State", str(settings.STATE_DIR)
    yield "Database", database_name()
    yield "Cache", str(settings.CACHE_DIR)
    yield "Our models", str(config.models_dir)
    yield "Hugging Face cache", str(config.hf_cache_dir)
    yield "Hub", config.endpoint


def _callers() -> Iterable[tuple[str, str]]:
    tokens: Tokens = settings.HF_TOKENS
    token = tokens.find()
    count = len(settings.API_KEYS)
    yield "API keys", f"{count} set" if count else "none: no caller needs one"
    yield "Host names", ", ".join(dict.fromkeys(settings.ALLOWED_HOSTS)).replace("*", "any address")
    yield "Trusted origins", ", ".join(settings.TRUSTED_ORIGINS) or "none besides this server"
    yield "Hugging Face token", f"set, from: {token.source}" if token else "none"


def _software() -> Iterable[tuple[str, str]]:
    yield "mlxsite", version("mlxsite")
    yield "Django", django.get_version()
    yield "Python", platform.python_version()
    yield "System", platform.platform(terse=True)


def database_name() -> str:
    """The database in words, without its password: "PostgreSQL: chats on db.example"."""
    parameters: dict[str, Any] = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"SQLite: {parameters['NAME']}"
    host = parameters["HOST"] or "this machine"
    return f"{connection.display_name}: {parameters['NAME']} on {host}"


def _in_words(value: object) -> str:
    match value:
        case None:
            return "unset"
        case bool():
            return "on" if value else "off"
    return str(value)
