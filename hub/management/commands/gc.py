"""`manage.py gc`: show what the Hugging Face cache holds in vain, and delete it when told to."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from hub.config import HubConfig
from hub.errors import HubError
from hub.gc.execute import execute
from hub.gc.plan import RepoPlan, plan_all
from hub.library import announce

HEADER = ("Model", "Snapshots", "Skipped", "Blobs", "Frees")


class Command(BaseCommand):
    help = "Show superseded snapshots and orphaned blobs; with --execute, delete them."
    requires_system_checks: list[str] = []  # noqa: RUF012  (as BaseCommand declares it)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--execute", action="store_true", help="delete what the plan shows")
        parser.add_argument(
            "--force",
            action="store_true",
            help="count in superseded snapshots that alone have some file",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        config: HubConfig = settings.HUB
        force: bool = options["force"]
        try:
            plans = plan_all(config, force=force)
        except HubError as error:
            raise CommandError(str(error)) from error
        if not plans:
            self.stdout.write("Nothing to reclaim.")
            return
        for line in table(plans):
            self.stdout.write(line)
        if any(plan.skipped for plan in plans):
            self.stdout.write("Skipped snapshots alone have some file; --force counts them in.")
        if not options["execute"]:
            self.stdout.write("Nothing was deleted; --execute does.")
            return
        try:
            done = execute(config, force=force)
        except HubError as error:
            raise CommandError(str(error)) from error
        finally:
            announce(config)  # a failure comes after deletions
        self.stdout.write(
            f"Deleted {done.snapshots} snapshots and {done.blobs} blobs: "
            f"{readable(done.bytes)} reclaimed."
        )


def table(plans: list[RepoPlan]) -> list[str]:
    """The plans as lines, a header first and the sum last, numbers to the right."""
    rows = [
        (
            plan.repo_id,
            str(len(plan.prune)),
            str(len(plan.skipped)),
            str(len(plan.dead)),
            readable(plan.reclaim_bytes),
        )
        for plan in plans
    ]
    total = readable(sum(plan.reclaim_bytes for plan in plans))
    lines = [HEADER, *rows, ("Total", "", "", "", total)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADER))]
    return [
        f"{line[0]:<{widths[0]}}  "
        + "  ".join(f"{cell:>{width}}" for cell, width in zip(line[1:], widths[1:], strict=True))
        for line in lines
    ]


def readable(size: int) -> str:
    """A size in bytes as people read it, in decimal units."""
    value = float(size)
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"
