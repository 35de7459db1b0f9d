"""The command line of the comparison."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.servers import MLX_LM, MLXSITE, ServerKind

KINDS = {"mlxsite": MLXSITE, "mlx_lm": MLX_LM}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """One comparison.

    model: folder; None for the starter model.
    streams: how many answers at once, one decode measure for each.
    tokens: length of those answers.
    prompt_tokens: about how long a long prompt is.
    direct: whether to set our served rate against the engine's own loop.
    restart: whether to restart the servers and ask again.
    """

    model: Path | None
    servers: tuple[ServerKind, ...]
    streams: tuple[int, ...]
    tokens: int
    prompt_tokens: int
    rounds: int
    timeout_seconds: float
    direct: bool
    restart: bool
    json: Path | None


def parse(arguments: Sequence[str] | None = None) -> Options:
    """Read the arguments; ends the process with a message if one is wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.compare",
        description="Compare mlxsite with mlx_lm.server on one model folder, one after the other.",
    )
    add = parser.add_argument
    add("--model", type=_folder, metavar="FOLDER", help="default: the starter model")
    add("--servers", nargs="+", choices=KINDS, default=list(KINDS), help="default: both")
    add("--streams", nargs="+", type=_positive, default=[1, 4, 8, 16], metavar="N")
    add("--tokens", type=_positive, default=48, metavar="N", help="of each answer; default 48")
    add("--prompt-tokens", type=_positive, default=256, metavar="N", help="default 256")
    add("--rounds", type=_positive, default=1, metavar="N", help="medians are shown; default 1")
    add("--timeout", type=_positive, default=300, metavar="SECONDS", help="default 300")
    add("--no-direct", action="store_true", help="leave out the engine's own loop")
    add("--no-restart", action="store_true", help="restart no server")
    add("--json", type=_new_file, metavar="FILE", help="write the figures there as well")
    given = parser.parse_args(arguments)
    return Options(
        model=given.model,
        servers=tuple(KINDS[name] for name in dict.fromkeys(given.servers)),
        streams=tuple(dict.fromkeys(given.streams)),
        tokens=given.tokens,
        prompt_tokens=given.prompt_tokens,
        rounds=given.rounds,
        timeout_seconds=given.timeout,
        direct=not given.no_direct,
        restart=not given.no_restart,
        json=given.json,
    )


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError(text)
    return value


def _folder(text: str) -> Path:
    path = Path(text)
    if not (path / "config.json").is_file():
        raise argparse.ArgumentTypeError(f"{text!r} is no model folder: it has no config.json")
    return path.resolve()


def _new_file(text: str) -> Path:
    path = Path(text).resolve()
    if not path.parent.is_dir():  # better said now than after all the measuring
        raise argparse.ArgumentTypeError(f"{text!r} is in no folder that exists")
    return path
