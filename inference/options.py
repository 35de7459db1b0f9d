"""Every option of the server, one row each: flags, environment name, range, default, help.

`ServeOptions` is the table: a field is a row. Command-line parsing, the reading of the
environment, validation and docs/configuration.md all follow from it, so a new option is
one new field. Standard library only; the command parses, everybody else receives the
finished object. Secrets are not here: an argument list is visible to other processes.
"""

import argparse
import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from inference.kv_quant import OFF, KvQuant
from inference.option_kinds import HOST, KV_QUANT, SWITCH, TOGGLE, Kind, choice, real, text, whole
from inference.request import ToneCurve

PREFIX: Final = "MLXSITE_"
GB: Final = 10**9
GIB: Final = 2**30


class OptionError(ValueError):
    """A value that stops the start; its text names the source, the value and what is allowed."""


@dataclass(frozen=True, slots=True)
class Option:
    """One row: how an option is spelled, what it takes, and what it means.

    spellings: in order of priority, when several are given; without dashes, a positional
        argument. None at all: environment only.
    environment: name of its variable, or None.
    default: the value as text for the reader; the field holds the value itself.
    """

    name: str
    spellings: tuple[str, ...]
    environment: str | None
    kind: Kind
    default: object
    help: str


def _row(*spellings: str, kind: Kind, help: str, default: Any = None, env: str | None = "") -> Any:
    """A field of `ServeOptions`. env: name without prefix; "" derives it from the field's name."""
    row = {"spellings": spellings, "kind": kind, "help": help, "env": env}
    return dataclasses.field(default=default, metadata=row)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """How one run of the server was asked to behave; every value is in its range."""

    model: str | None = _row(
        "--model",
        "query",
        "--query",
        "-q",
        kind=text("MODEL"),
        help="model to serve: a folder, or part of the name of a downloaded model; "
        "unset picks the best one that fits",
    )
    host: str = _row("--host", kind=HOST, default="127.0.0.1", help="address to listen on")
    port: int = _row("--port", kind=whole(1, 65535), default=8080, help="TCP port to listen on")
    batch: int = _row(
        "--batch",
        "--decode-concurrency",
        kind=whole(1, 1024),
        default=8,
        help="requests generated together; 1 serves one after another",
    )
    prompt_cache: float = _row(
        "--prompt-cache",
        kind=real(0, 1_000_000),
        default=8.0,
        help="memory for finished prompts, in GiB (2^30 bytes); 0 disables the cache",
    )
    ssd_cache: str | None = _row(
        "--ssd-cache",
        kind=text("DIR"),
        help="folder in which finished prompts are kept as well, so that they outlive a restart; "
        "unset keeps them in memory only",
    )
    ssd_cache_max: float = _row(
        "--ssd-cache-max",
        kind=real(1, 1_000_000),
        default=32.0,
        help="size of what is kept there of one model, in GiB (2^30 bytes)",
    )
    ssd_cache_verify: bool = _row(
        "--ssd-cache-verify",
        kind=SWITCH,
        default=False,
        help="check all of what is read from there, and not only what describes it",
    )
    ssd_demote_idle: float | None = _row(
        "--ssd-demote-idle",
        kind=real(0, 31_536_000),
        help="seconds after which a prompt that nobody used leaves the memory and is on disk only; "
        "0 is never; unset is 300 with --ssd-cache",
    )
    generation_checkpoint: int | None = _row(
        "--generation-checkpoint",
        kind=whole(1, 1_000_000),
        help="tokens of an answer after which it is saved, each time, so that the same request "
        "goes on from there after a restart; needs --ssd-cache and --batch 1; unset saves nothing",
    )
    memory_budget: float | None = _row(
        "--memory-budget",
        kind=real(0.001, 1_000_000),
        help="memory for the model and its requests, in GB (10^9 bytes); "
        "unset takes three quarters of the machine's",
    )
    kv_budget: float | None = _row(
        "--kv-budget",
        kind=real(0.001, 1_000_000),
        help="memory for keys and values of all requests that run, in GB (10^9 bytes), each "
        "counted as long as it may get; requests beyond it wait; unset is no limit",
    )
    kv_quant: KvQuant = _row(  # noqa: RUF009 - its value never changes
        "--kv-quant",
        kind=KV_QUANT,
        default=OFF,
        help="bits of a number in keys and values, which save memory for some accuracy: 4 or 8 "
        "in all layers, as the model's kv_config.json says, or turbo with values rotated; all but "
        "off and config serve one request after another",
    )
    weights: str = _row(
        "--weights",
        kind=choice("auto", "quantized", "dense"),
        default="auto",
        help="form in which quantized weights are kept: as they are, or expanded once "
        "at load (more memory, faster on a CPU); auto decides for the device",
    )
    adapter: str | None = _row(
        "--adapter",
        "--adapter-path",
        kind=text("DIR"),
        help="folder of a LoRA adapter to mount, under the folder's name, for requests that "
        "choose none",
    )
    temperature: float | None = _row(
        "--temperature",
        "--temp",
        kind=real(0, 5),
        help="sampling temperature of requests that name none; 0 takes the likeliest "
        "token; unset follows the model, else 0.7",
    )
    top_p: float | None = _row(
        "--top-p",
        kind=real(0, 1),
        help="probability mass kept for requests that name none; 0 is off; "
        "unset follows the model, else off",
    )
    top_k: int | None = _row(
        "--top-k",
        kind=whole(0, 1_000_000),
        help="candidates kept for requests that name none; 0 is off; "
        "unset follows the model, else off",
    )
    thinking: bool | None = _row(
        "--thinking",
        kind=TOGGLE,
        help="whether models that can think before they answer do so when a request does "
        "not say; unset follows the model",
    )
    max_tokens: int | None = _row(
        "--max-tokens",
        kind=whole(1, 10_000_000),
        help="limit, in tokens, of answers to requests that name none; "
        "unset ends with the model or its context",
    )
    hlg_sampling: bool = _row(
        "--hlg-sampling",
        kind=TOGGLE,
        default=False,
        help="draw along a tone curve, in place of the filters and the temperature's straight "
        "line, unless a request says otherwise",
    )
    hlg_width: float = _row(
        "--hlg-width",
        kind=real(0, 100),
        default=4.0,
        help="half the straight part of the tone curve, in nats",
    )
    hlg_shoulder: float = _row(
        "--hlg-shoulder",
        kind=real(0, 100),
        default=4.0,
        help="softness of the tone curve's top, in nats; 0 leaves it straight",
    )
    hlg_toe: float = _row(
        "--hlg-toe",
        kind=real(0, 100),
        default=6.0,
        help="softness of the tone curve's bottom, in nats; 0 leaves it straight",
    )
    hlg_pivot_offset: float = _row(
        "--hlg-pivot-offset",
        kind=real(0, 100),
        default=6.0,
        help="distance of the tone curve's middle below the likeliest token, in nats",
    )
    prefill_chunk: int | None = _row(
        "--prefill-chunk",
        kind=whole(1, 1_000_000),
        help="prompt tokens computed in one step; unset suits the device",
    )
    scripted: bool = _row(
        "--scripted",
        kind=SWITCH,
        default=False,
        help="serve a scripted model in place of weights, for development and tests",
    )
    no_open: bool = _row(
        "--no-open",
        kind=SWITCH,
        default=False,
        env=None,
        help="do not open a browser when ready",
    )
    no_jobs: bool = _row(
        "--no-jobs",
        kind=SWITCH,
        default=False,
        help="run no jobs (fine-tuning, quantizing, datasets); they wait for `manage.py run_huey`",
    )
    grammar: bool = _row(
        kind=TOGGLE,
        default=True,
        help="hold answers to the JSON schema, grammar, pattern or choices that a request "
        "names; 0 only asks for them in words",
    )
    ssd_writebehind: bool = _row(
        kind=TOGGLE,
        default=True,
        help="write finished prompts to --ssd-cache while nothing runs; 0 writes those only that "
        "leave the memory, and the rest at shutdown",
    )
    ssd_spill_queue_gb: float = _row(
        kind=real(0.001, 1_000_000),
        default=2.0,
        help="what may wait to be written to --ssd-cache, in GiB (2^30 bytes); beyond it the "
        "oldest is dropped",
    )
    shutdown_timeout_ms: int = _row(
        kind=whole(0, 86_400_000),
        default=120_000,
        help="time that running answers get to finish at shutdown, in milliseconds",
    )

    @property
    def tone_curve(self) -> ToneCurve:
        return ToneCurve(self.hlg_width, self.hlg_shoulder, self.hlg_toe, self.hlg_pivot_offset)

    @property
    def prompt_cache_bytes(self) -> int:
        return int(self.prompt_cache * GIB)

    @property
    def memory_budget_bytes(self) -> int | None:
        """The budget the operator set, or None to take a share of the machine's memory."""
        return None if self.memory_budget is None else int(self.memory_budget * GB)

    @property
    def kv_budget_bytes(self) -> int | None:
        return None if self.kv_budget is None else int(self.kv_budget * GB)


def _option(field: "dataclasses.Field[Any]") -> Option:
    row = field.metadata
    env = field.name.upper() if row["env"] == "" else row["env"]
    return Option(
        name=field.name,
        spellings=row["spellings"],
        environment=None if env is None else PREFIX + env,
        kind=row["kind"],
        default=field.default,
        help=row["help"],
    )


TABLE: Final = tuple(_option(field) for field in dataclasses.fields(ServeOptions))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare every option on `parser`.

    Each spelling keeps a value of its own, read by `resolve`, so that priority among
    them does not depend on their order on the command line. The parser should be made
    with `allow_abbrev=False`: a guessed flag is worse than an error.
    """
    for option in TABLE:
        for spelling in option.spellings:
            _add_spelling(parser, option, spelling)


def resolve(
    *,
    arguments: Mapping[str, Any],
    environment: Mapping[str, str] | None = None,
    settings: Mapping[str, object] | None = None,
) -> ServeOptions:
    """Decide each option: command line, then environment, then settings, then default.

    arguments: what a parser prepared by `add_arguments` returned, as a mapping.
    environment: variables by full name; others than ours are ignored.
    settings: values by option name.
    Raises OptionError for the first value out of range, and for an unknown setting.
    """
    environment, settings = environment or {}, settings or {}
    if unknown := settings.keys() - {option.name for option in TABLE}:
        raise OptionError(f"unknown server option in settings: {', '.join(sorted(unknown))}")
    values: dict[str, Any] = {}
    for option in TABLE:
        # Read every source, not only the winner: a bad value is a mistake even where it loses.
        if option.name in settings:
            value = str(settings[option.name])
            values[option.name] = _read(option, value, f"the setting {option.name}")
        if option.environment and (value := environment.get(option.environment, "")):
            values[option.name] = _read(option, value, option.environment)
        for spelling in reversed(option.spellings):
            if (given := arguments.get(_destination(option, spelling))) is not None:
                values[option.name] = given
    return ServeOptions(**values)


def _add_spelling(parser: argparse.ArgumentParser, option: Option, spelling: str) -> None:
    shown = option.help if spelling == option.spellings[0] else f"same as {option.spellings[0]}"
    common: dict[str, Any] = {"default": None, "help": shown.replace("%", "%%")}
    destination = _destination(option, spelling)
    if option.kind is SWITCH:
        parser.add_argument(spelling, dest=destination, action="store_true", **common)
        return

    def read(value: str) -> Any:
        try:
            return option.kind.read(value)
        except ValueError:
            raise argparse.ArgumentTypeError(_refusal(option, value)) from None

    if spelling.startswith("-"):
        parser.add_argument(
            spelling, dest=destination, type=read, metavar=option.kind.metavar, **common
        )
    else:
        parser.add_argument(destination, nargs="?", type=read, metavar=spelling, **common)


def _destination(option: Option, spelling: str) -> str:
    return f"{option.name} {spelling}"


def _read(option: Option, value: str, source: str) -> Any:
    try:
        return option.kind.read(value)
    except ValueError:
        raise OptionError(f"{source}: {_refusal(option, value)}") from None


def _refusal(option: Option, value: str) -> str:
    return f"{value!r} is not allowed; expected {option.kind.allowed}"
