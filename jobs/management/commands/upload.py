"""`manage.py upload`: put a folder on the Hugging Face Hub."""

import threading
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from hub.errors import HubError
from hub.uploads.upload import RepoKind
from jobs.push.source import make_uploader, source_folder
from jobs.push.working_files import working_files

BAR = "{desc} {percentage:3.0f}% |{bar}| {n_fmt} of {total_fmt}, {rate_fmt}, {remaining} left"


class Command(BaseCommand):
    help = "Upload a folder, or what a job made, to the Hugging Face Hub."
    requires_system_checks: list[str] = []  # noqa: RUF012  (as BaseCommand declares it)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "source", metavar="SOURCE", help="a folder, or the id of a job that is done"
        )
        parser.add_argument("repo", metavar="REPO", help="owner/name; made if there is none")
        parser.add_argument("--dataset", action="store_true", help="the repo is a dataset's")
        parser.add_argument("--private", action="store_true", help="make a private repo")

    def handle(self, *args: Any, **options: Any) -> None:
        source: str = options["source"]
        is_job = source.startswith("job_") and "/" not in source
        kind = RepoKind.DATASET if options["dataset"] else RepoKind.MODEL
        try:
            folder = source_folder(None, source) if is_job else Path(source).expanduser().absolute()
            with BarProgress(options["repo"]) as progress:
                url = make_uploader().upload(
                    folder,
                    options["repo"],
                    kind,
                    private=options["private"],
                    progress=progress,
                    left_out=working_files(folder),
                )
        except HubError as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError("stopped; the same command sends only what is missing") from None
        self.stdout.write(f"{folder} is at {url}")


class BarProgress:
    """A progress bar on standard error, or nothing where that is not a terminal."""

    def __init__(self, repo_id: str) -> None:
        # disable=None: silent unless standard error is a terminal.
        self._bar: tqdm[Any] = tqdm(
            desc=repo_id, total=0, unit="B", unit_scale=True, bar_format=BAR, dynamic_ncols=True,
            disable=None,
        )  # fmt: skip
        self._lock = threading.Lock()

    def __enter__(self) -> "BarProgress":
        return self

    def __exit__(self, *_error: object) -> None:
        self._bar.close()

    def planned(self, *, files: int, size: int) -> None:
        self._bar.reset(total=size)

    def sent(self, size: int) -> None:
        with self._lock:
            self._bar.update(size)
