"""`manage.py run_huey`: run jobs on this machine, for a server that runs none itself."""

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from jobs.consumer import BUSY_STATUS, AlreadyConsumed, consume


class Command(BaseCommand):
    help = "Run queued jobs until told to stop. A server with runserver_mlx does this by itself."
    requires_system_checks: list[str] = []  # noqa: RUF012  (as BaseCommand declares it)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            call_command("migrate", interactive=False, verbosity=0)
            self.stdout.write("Running jobs; Ctrl-C stops them.")
            consume()
        except AlreadyConsumed as error:
            raise CommandError(str(error), returncode=BUSY_STATUS) from error
