from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from hub.config import HubConfig
from hub.token import Tokens
from hub.uploads.errors import NoSource
from jobs.models import TERMINAL, Job, Status
from jobs.push.source import make_uploader, source_folder

pytestmark = pytest.mark.django_db


def job(output: Path | None, status: Status = Status.DONE) -> str:
    ended = timezone.now() if status in TERMINAL else None
    path = str(output) if output else None
    row = Job.objects.create(kind="quantize", status=status, output_path=path, ended_at=ended)
    return row.id


def test_a_path_is_meant_before_a_job(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()

    assert source_folder(str(tmp_path / "a"), job(tmp_path / "b")) == tmp_path / "a"


def test_without_a_path_the_output_of_the_job_is_meant(tmp_path: Path) -> None:
    assert source_folder(None, job(tmp_path)) == tmp_path


@pytest.mark.parametrize("status", [status for status in Status if status != Status.DONE])
def test_the_output_of_a_job_that_is_not_done_is_not_whole(tmp_path: Path, status: Status) -> None:
    with pytest.raises(NoSource, match=f"is {status}, so its output is not whole"):
        source_folder(None, job(tmp_path, status))


def test_what_leads_to_no_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")

    for path, job_id, words in [
        (None, None, "give a source_path, or the job_id"),
        (None, "job_gone", "there is no job 'job_gone'"),
        (None, job(None), "has no output"),
        (None, job(tmp_path / "gone"), "there is no folder"),
        (str(tmp_path / "gone"), None, "there is no folder"),
        (str(tmp_path / "file"), None, "there is no folder"),
        ("relative/folder", None, "not a whole path"),
    ]:
        with pytest.raises(NoSource, match=words):
            source_folder(path, job_id)


def test_files_with_secrets_of_this_installation_stay_here(
    tmp_path: Path, settings: Settings
) -> None:
    settings.STATE_DIR = tmp_path
    settings.HUB = HubConfig(tmp_path / "models", tmp_path / "hf", "http://hub")
    settings.HF_TOKENS = Tokens(tmp_path / "hf.json", tmp_path / "cli", environment="hf_x")

    uploader = make_uploader()

    assert (uploader.endpoint, uploader.token) == ("http://hub", "hf_x")
    names = {path.name for path in uploader.secrets}
    assert names == {"hf.json", "cli", "secret_key", "db.sqlite3"}
