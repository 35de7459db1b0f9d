"""`manage.py models`: the models of this machine, and what each comes to on it."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from hub.api.rows import local_row, skipped_rows
from hub.config import HubConfig
from hub.decode_rates import decode_rates
from hub.library import CONTEXT_TOKENS, Entry, Library, assess_all
from hub.machine import this_machine
from hub.registry import scan

HEADER = ("Model", "Size", "Bits", "Tier", "Fits", "Safe context", "tok/s")


class Command(BaseCommand):
    help = "List the models of this machine: whether they fit, and how fast they should be."
    requires_system_checks: list[str] = []  # noqa: RUF012  (as BaseCommand declares it)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--json", action="store_true", help="print the rows of GET /api/hub/local"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        config: HubConfig = settings.HUB
        machine = this_machine(config, wait=True)
        library = assess_all(scan(config), machine, decode_rates(machine.chip))
        lines = as_json(library) if options["json"] else as_text(library)
        for line in lines:
            self.stdout.write(line)


def as_json(library: Library) -> Iterator[str]:
    rows = [local_row(entry) for entry in library.entries]
    body = {"models": rows, "skipped": skipped_rows(library.skipped)}
    yield json.dumps(body, indent=2)


def as_text(library: Library) -> Iterator[str]:
    """A table, and below it what was skipped and why."""
    if library.entries:
        yield from _table([HEADER, *(_cells(entry) for entry in library.entries)])
        machine = library.machine
        memory = f"{machine.ram_bytes / 1e9:.0f} GB at {machine.bandwidth_gbps:.0f} GB/s"
        yield f"At {CONTEXT_TOKENS:,} tokens of context on {machine.chip}, {memory}; * as measured."
    else:
        yield "No models here yet: 'python manage.py starter_model' fetches a small one."
    for skip in library.skipped:
        yield f"Skipped {skip.repo_id}: {skip.reason}"


def _cells(entry: Entry) -> tuple[str, ...]:
    model, found = entry.model, entry.assessment
    rate = "" if entry.decode_tps is None else f"{entry.decode_tps:.1f}"
    return (
        model.repo_id,
        f"{model.weight_bytes / 1e9:.2f} GB",
        str(model.quantization.bits) if model.quantization else "",
        model.tier or "none",
        "" if found is None else "yes" if found.fits else "no",
        "" if found is None else f"{found.max_safe_context:,}",
        rate + ("*" if entry.measured else ""),
    )


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()
