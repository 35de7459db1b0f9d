"""`manage.py run_huey`: run jobs on this machine, without a server or for one."""

import os
import socket
from argparse import ArgumentParser
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from jobs.consumer import BUSY_STATUS, AlreadyConsumed, consume, consume_for_server


class Command(BaseCommand):
    help = "Run queued jobs until told to stop. A server with runserver_mlx does this by itself."
    requires_system_checks: list[str] = []  # noqa: RUF012  (as BaseCommand declares it)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--for-server",
            action="store_true",
            help="standard input is the server's socket; used by runserver_mlx",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["for_server"]:
                consume_for_server(socket.socket(fileno=os.dup(0)))
            else:
                call_command("migrate", interactive=False, verbosity=0)
                self.stdout.write("Running jobs; Ctrl-C stops them.")
                consume()
        except AlreadyConsumed as error:
            raise CommandError(str(error), returncode=BUSY_STATUS) from error
