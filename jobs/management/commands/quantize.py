"""`manage.py quantize`: make a smaller model of one that is on this machine."""

import json
import signal
from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from django.core.management.base import BaseCommand, CommandError, OutputWrapper

from inference.runtime import prepare_backend
from jobs.emitter import Emitter
from jobs.errors import JobError
from jobs.quantize.calibration_mix import DOMAINS, MIXED
from jobs.quantize.config import (
    CANDIDATES,
    GROUP_SIZES,
    SAMPLES,
    SCALE_TYPES,
    WIDTHS,
    QuantizeConfig,
)


class Command(BaseCommand):
    help = "Quantize a model of this machine into the Hugging Face cache."
    requires_system_checks: list[str] = []  # noqa: RUF012  (as BaseCommand declares it)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "model_id", metavar="MODEL", help="a repo id, a part of one, or a folder"
        )
        parser.add_argument("--bits", type=int, choices=WIDTHS, help="of every layer (default: 4)")
        parser.add_argument(
            "--group-size", type=int, choices=GROUP_SIZES, help="weights that share a scale (64)"
        )
        parser.add_argument(
            "--target-bpw",
            type=float,
            metavar="BITS",
            help="bits per weight of the whole file; each layer gets a width of its own",
        )
        parser.add_argument(
            "--candidate-bits",
            type=int,
            nargs="+",
            choices=WIDTHS,
            metavar="BITS",
            help=f"widths to choose from with --target-bpw ({' '.join(map(str, CANDIDATES))})",
        )
        parser.add_argument("--reference", help="what divergence is measured against (MODEL)")
        parser.add_argument(
            "--calibration-mix", help=f"{MIXED}, or some of {','.join(DOMAINS)} ({MIXED})"
        )
        parser.add_argument(
            "--n-calibration", type=int, metavar="ROWS", help=f"rows of text ({SAMPLES})"
        )
        parser.add_argument(
            "--rotate-weights", action="store_true", help="fold a Hadamard rotation in first"
        )
        parser.add_argument(
            "--rotation-seed", type=int, metavar="SEED", help="of the rotation (42)"
        )
        parser.add_argument(
            "--scales", choices=SCALE_TYPES, help="type of scales and unquantized arrays (auto)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        request = {name: options[name] for name in QuantizeConfig.__dataclass_fields__}
        # Before the next import: it loads MLX, which takes the BLAS that is there by then.
        prepare_backend()
        from jobs.quantize.run import run  # noqa: PLC0415

        signal.signal(signal.SIGTERM, signal.default_int_handler)  # end as Control-C does
        try:
            outcome = run(request, Emitter(Console(self.stderr)))
        except JobError as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError("stopped; nothing was left behind") from None
        for line in report(outcome.summary):
            self.stdout.write(line)
        self.stdout.write(f"{outcome.summary['repo_id']} is ready: {outcome.output_dir}")


class Console:
    """Shows a job's events: how far it is, where there is a terminal, and what it logs."""

    def __init__(self, stream: OutputWrapper) -> None:
        self._stream = stream
        self._message = ""

    def write(self, line: str) -> None:
        event = json.loads(line)
        if event["type"] == "log":
            self._stream.write(event["line"], lambda text: text)
        elif self._stream.isatty():
            percent = f"\r\033[K{event['progress']:4.0%}  {event['message']}"
            self._stream.write(percent, lambda text: text, ending="")
            if event["progress"] >= 1:
                self._stream.write("")
        elif event["message"] != self._message:
            self._message = event["message"]
            self._stream.write(self._message, lambda text: text)

    def flush(self) -> None:
        self._stream.flush()


def report(summary: Mapping[str, Any]) -> list[str]:
    """The summary as lines for people."""
    lines = [
        f"{summary['size_bytes'] / 1e6:,.1f} MB, {summary['bits_per_weight']:.3f} bits per weight",
        "modules by bits: "
        + ", ".join(f"{count} of {bits}" for bits, count in summary["modules_by_bits"].items()),
        f"perplexity {summary['perplexity']}, of the source {summary['source_perplexity']}",
        f"KL divergence from {summary['reference']}: {summary['kl']} nats a token, "
        f"the same likeliest token in {summary['agreement']:.1%} of places",
    ]
    if rotation := summary.get("rotation"):
        lines.append(f"without the rotation: KL divergence {rotation['kl_without']}")
    return lines
