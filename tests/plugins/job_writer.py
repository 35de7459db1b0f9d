"""A process that takes jobs through their lives: `python -m tests.plugins.job_writer DB COUNT`.

With COUNT 0 it makes the tables. It prints what went wrong, and nothing else.
"""

import sys
from pathlib import Path

import django
from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, transaction

from mlxsite.database import sqlite


def main(path: str, count: str) -> None:
    settings.configure(
        INSTALLED_APPS=["jobs"],
        DATABASES={"default": sqlite(Path(path))},
        USE_TZ=True,
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    )
    django.setup()
    if count == "0":
        call_command("migrate", verbosity=0)
    for _ in range(int(count)):
        try:
            live()
        except DatabaseError as error:
            print(error)  # noqa: T201


def live() -> None:
    from jobs import rows
    from jobs.models import Job, Status
    from jobs.outcome import Outcome

    with transaction.atomic():  # reads, then writes
        number = Job.objects.count()
        job = Job.objects.create(kind="dataset", log_path=str(number))
    rows.claim(job.pk, "here/1")
    for step in range(3):
        rows.note_running(job.pk, progress=step / 3)
    rows.finish(job.pk, Outcome(summary={"n": number}))
    job.refresh_from_db()
    assert job.status == Status.DONE


if __name__ == "__main__":
    main(*sys.argv[1:])
