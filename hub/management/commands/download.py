"""`manage.py download`: fetch a model from the Hugging Face Hub, or go on fetching it."""

import threading
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from hub.cached_repo import CachedRepo
from hub.config import HubConfig
from hub.downloads.download import download_model
from hub.downloads.names import MAIN, check_repo_id, check_revision
from hub.downloads.remote import RemoteHub
from hub.downloads.repo_lock import take
from hub.errors import HubError
from hub.library import announce
from hub.token import Tokens

BAR = "{desc} {percentage:3.0f}% |{bar}| {n_fmt} of {total_fmt}, {rate_fmt}, {remaining} left"


class Command(BaseCommand):
    help = "Download a model from the Hugging Face Hub; run again, it goes on where it stopped."
    requires_system_checks: list[str] = []  # noqa: RUF012  (as BaseCommand declares it)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("repo", metavar="REPO", help="a repo id, such as mlx-community/name")
        parser.add_argument(
            "--revision", default=MAIN, help="a branch, a tag or a commit (default: main)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._download(options["repo"], options["revision"])
        except HubError as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError("stopped; the same command goes on from here") from None

    def _download(self, repo_id: str, revision: str) -> None:
        config: HubConfig = settings.HUB
        tokens: Tokens = settings.HF_TOKENS
        repo = CachedRepo.of(config, check_repo_id(repo_id))
        check_revision(revision)
        token = tokens.find()
        hub = RemoteHub(config.endpoint, token.value if token else None)
        with repo.lock() as lock, BarProgress(repo_id) as progress:
            take(lock, repo_id)
            path = download_model(
                hub, repo, repo_id, revision, progress=progress, cancelled=threading.Event()
            )
        announce(config)
        self.stdout.write(f"{repo_id} is ready: {path}")


class BarProgress:
    """A progress bar on standard error, or nothing where that is not a terminal."""

    def __init__(self, repo_id: str) -> None:
        # disable=None: silent unless standard error is a terminal.
        self._bar: tqdm[Any] = tqdm(
            desc=repo_id,
            total=0,
            unit="B",
            unit_scale=True,
            bar_format=BAR,
            dynamic_ncols=True,
            disable=None,
        )
        self._repo_id = repo_id
        self._files = self._file = 0

    def __enter__(self) -> "BarProgress":
        return self

    def __exit__(self, *_error: object) -> None:
        self._bar.close()

    def planned(self, *, files: int, size: int) -> None:
        self._files = files
        self._bar.reset(total=size)

    def began(self, file: str) -> None:
        self._file += 1
        self._bar.set_description_str(f"{self._repo_id}, file {self._file} of {self._files}")

    def found(self, size: int) -> None:
        if not self._bar.disable:
            self._bar.initial += size  # what was here before does not count towards the rate
            self._move(size)

    def received(self, size: int) -> None:
        self._bar.update(size)

    def dropped(self, size: int) -> None:
        if not self._bar.disable:
            self._move(-size)

    def _move(self, size: int) -> None:
        self._bar.n += size
        self._bar.refresh()

    def finished(self) -> None:
        pass
