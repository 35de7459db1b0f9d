"""`manage.py synthesize`: turn chats into articles of the memory, here and now.

A server that runs on this machine is asked to do it, since it holds the model and perhaps all of
the accelerator's memory. Without one the command loads a model by itself.
"""

import threading
from argparse import ArgumentParser
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from hub.errors import HubError
from inference import runtime
from inference.errors import InferenceError
from inference.options import OptionError, resolve
from memory.synthesis import current
from memory.synthesis.errors import SynthesisError
from memory.synthesis.remote import NoServer, follow
from memory.synthesis.terminal import Terminal

STOPPED = "stopped; the same command goes on where this run ended"


class Command(BaseCommand):
    help = "Turn chats into articles of the memory, by a running server or with a model of its own."
    requires_system_checks: list[str] = []  # noqa: RUF012  (as BaseCommand declares it)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--dry", action="store_true", help="tell what would be done; ask and write nothing"
        )
        parser.add_argument(
            "--model",
            metavar="MODEL",
            help="a repo id, a part of one, or a folder; loaded here, whatever the server has",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        terminal = Terminal(self.stdout)  # type: ignore[arg-type]  # it writes as a file does
        try:
            current.require_vault()
            call_command("migrate", interactive=False, verbosity=0)
            if options["dry"]:
                current.plan(terminal.show)
            elif options["model"] or not _run_on_server(terminal):
                self._run_here(terminal, options["model"])
        except (SynthesisError, HubError, InferenceError, OptionError) as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError(STOPPED) from None

    def _run_here(self, terminal: Terminal, model: str | None) -> None:
        serve = resolve(
            arguments={},
            environment=settings.SERVE_ENVIRONMENT,
            settings=settings.SERVE_DEFAULTS,
        )
        if model is not None:
            serve = replace(serve, model=model)
        self.stdout.write("Loading the model …")
        runtime.start(serve, settings.HUB)
        try:
            current.synthesize(terminal.show, threading.Event())
        finally:
            runtime.stop()


def _run_on_server(terminal: Terminal) -> bool:
    """Have the server do it; False if there is none."""
    try:
        for event in follow(settings.JOBS.server_url, next(iter(settings.API_KEYS), None)):
            terminal.show(event)
    except NoServer:
        return False
    return True
