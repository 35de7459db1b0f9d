"""`manage.py createsuperuser`: Django's own, on a database that need not be there before."""

from typing import Any

from django.contrib.auth.management.commands import createsuperuser
from django.core.management import call_command


class Command(createsuperuser.Command):
    requires_migrations_checks = False  # it would tell to run what is run here

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", interactive=False, verbosity=0, database=options["database"])
        super().handle(*args, **options)
