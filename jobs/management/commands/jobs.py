"""`manage.py jobs`: what runs, what has run, and how it ended."""

import json
import time
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from tqdm import tqdm

from jobs import text
from jobs.api.rows import job_row
from jobs.cancel import cancel
from jobs.follow import POLL_SECONDS, Follower
from jobs.kinds import KINDS
from jobs.models import Job, Status, find
from jobs.rows import share

HEADER = ("Job", "Kind", "Status", "Submitted", "Took", "")
BAR = "{percentage:3.0f}% |{bar}| {desc} {elapsed}"
STEPS = 1000  # of the bar


class Command(BaseCommand):
    help = "List jobs, show one, follow it to its end, or cancel it."
    requires_system_checks: list[str] = []  # noqa: RUF012  (as BaseCommand declares it)

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", metavar="ACTION")
        listing = actions.add_parser("list", help="the latest jobs; what happens without an action")
        listing.add_argument("--limit", type=int, default=20, help="how many (default: 20)")
        listing.add_argument("--kind", choices=KINDS, help="only jobs of this kind")
        listing.add_argument("--json", action="store_true", help="print the rows of GET /api/jobs")
        for name, told in (
            ("show", "all that is known of one"),
            ("follow", "its events, and its progress, until it is over"),
            ("cancel", "end it"),
        ):
            actions.add_parser(name, help=told).add_argument("job", metavar="JOB")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._act(options)
        except DatabaseError as error:  # of a state folder that no server has used yet
            raise CommandError(f"there are no jobs here: {error}") from error

    def _act(self, options: dict[str, Any]) -> None:
        match options["action"]:
            case "show":
                self._show(_find(options["job"]))
            case "follow":
                self._follow(_find(options["job"]))
            case "cancel":
                self._cancel(_find(options["job"]))
            case _:
                self._list(
                    options.get("kind"), options.get("limit", 20), as_json=options.get("json")
                )

    def _list(self, kind: str | None, limit: int, *, as_json: bool | None) -> None:
        jobs = list((Job.objects.filter(kind=kind) if kind else Job.objects.all())[: max(limit, 0)])
        if as_json:
            self.stdout.write(json.dumps([job_row(job) for job in jobs], indent=2))
        elif jobs:
            for line in _table([HEADER, *map(_cells, jobs)]):
                self.stdout.write(line)
        else:
            self.stdout.write("No jobs yet: they are submitted in the web app, or over HTTP.")

    def _show(self, job: Job) -> None:
        shown = job_row(job) | {"summary": json.loads(job.summary_json)}
        shown["config_json"] = json.loads(job.config_json)
        width = max(map(len, shown))
        for name, value in shown.items():
            told = "-" if value is None else value
            told = told if isinstance(told, str) else json.dumps(told, ensure_ascii=False)
            self.stdout.write(f"{name.removesuffix('_json').ljust(width)}  {told}")

    def _cancel(self, job: Job) -> None:
        if job.is_over:
            self.stdout.write(f"{job.pk} is over already: {job.status}.")
            return
        cancel(job.pk)
        self.stdout.write(f"{job.pk} is cancelled; if it runs, it ends within seconds.")

    def _follow(self, job: Job) -> None:
        """Print events as lines, above a bar where standard error is a terminal."""
        follower = Follower(job)
        with tqdm(total=STEPS, bar_format=BAR, dynamic_ncols=True, disable=None) as bar:
            try:
                while not follower.is_finished:
                    news = follower.look()
                    for event in news:
                        self._tell(event, bar)
                    if not news:
                        bar.refresh()
                        time.sleep(POLL_SECONDS)
            except KeyboardInterrupt:
                raise CommandError("no longer followed; the job goes on") from None
        if job.status != Status.DONE:
            raise CommandError(f"{job.pk} is over: {job.status}")

    def _tell(self, event: dict[str, Any], bar: "tqdm[Any]") -> None:
        if (progress := share(event.get("progress"))) is not None:
            bar.n = int(progress * STEPS)
            bar.set_description_str(str(event.get("message") or ""))
            if not bar.disable:
                return  # the bar says it
        if line := text.line_of(event):
            bar.clear()
            self.stdout.write(line)
            self.stdout.flush()


def _find(job_id: str) -> Job:
    job = find(job_id)
    if job is None:
        raise CommandError(f"there is no job {job_id!r}; 'manage.py jobs' lists them")
    return job


def _cells(job: Job) -> tuple[str, ...]:
    submitted = job.created_at.strftime("%Y-%m-%d %H:%M")
    return (
        job.pk,
        job.kind,
        text.state_of(job),
        submitted,
        text.duration_of(job),
        text.note_of(job),
    )


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()
