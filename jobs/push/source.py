"""Which folder a push means, and with what it is uploaded."""

from pathlib import Path

from django.conf import settings

from hub.config import HubConfig
from hub.token import Tokens
from hub.uploads.errors import NoSource
from hub.uploads.upload import Uploader
from jobs.errors import JobError
from jobs.folders import folder_of, is_path
from jobs.models import Status, find


def source_folder(source_path: str | None, job_id: str | None) -> Path:
    """Return the folder at a path, or else the output of a job that is done.

    Thread: any but an event loop's. Raises NoSource.
    """
    if source_path:
        return _named(source_path)
    if not job_id:
        raise NoSource("nothing to upload: give a source_path, or the job_id of a job that is done")
    job = find(job_id)
    if job is None:
        raise NoSource(f"there is no job {job_id[:40]!r}")
    if job.status != Status.DONE:
        raise NoSource(
            f"{job.id} is {job.status}, so its output is not whole: wait, or run it again"
        )
    if not job.output_path:
        raise NoSource(f"{job.id} has no output")
    return _real(Path(job.output_path))


def make_uploader() -> Uploader:
    """The uploader of this installation, with the token that is saved now."""
    hub: HubConfig = settings.HUB
    tokens: Tokens = settings.HF_TOKENS
    token = tokens.find()
    return Uploader(hub.endpoint, token.value if token else None, _secrets(tokens))


def _named(text: str) -> Path:
    if not is_path(text):
        raise NoSource(f"{text[:100]!r} is not a whole path: begin with /")
    try:
        return _real(folder_of(text))
    except JobError as error:
        raise NoSource(str(error)) from error


def _real(path: Path) -> Path:
    try:
        if path.is_dir():
            return path.resolve()
    except OSError as error:
        raise NoSource(f"{path} cannot be read ({error.strerror})") from error
    raise NoSource(f"there is no folder {path}")


def _secrets(tokens: Tokens) -> list[Path]:
    """Files that no upload may hold, wherever its folder is."""
    state: Path = settings.STATE_DIR
    return [tokens.saved, tokens.cli_file, state / "secret_key", state / "db.sqlite3"]
