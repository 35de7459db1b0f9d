from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django.fixtures import Settings

from jobs.models import Job, Status
from tests.plugins.fake_hub import FakeHub

pytestmark = [
    pytest.mark.usefixtures("hub_settings"),
    # The library hands files over in a way that its own HTTP client has grown tired of.
    pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning"),
]


@pytest.fixture
def folder(tmp_path: Path, settings: Settings) -> Path:
    settings.HF_TOKENS.save("hf_right")
    (tmp_path / "output").mkdir()
    (tmp_path / "output" / "config.json").write_text("{}")
    return tmp_path / "output"


def upload(*args: str) -> str:
    out = StringIO()
    call_command("upload", *args, stdout=out)
    return out.getvalue()


def test_a_folder_is_uploaded_and_its_page_told(fake_hub: FakeHub, folder: Path) -> None:
    said = upload(str(folder), "org/name", "--private")

    assert said == f"{folder} is at {fake_hub.url}/org/name\n"
    assert fake_hub.repos["org/name"].private


def test_a_dataset_is_uploaded_as_one(fake_hub: FakeHub, folder: Path) -> None:
    upload(str(folder), "org/name", "--dataset")

    assert list(fake_hub.repos) == ["datasets/org/name"]


@pytest.mark.django_db
def test_the_output_of_a_job_is_uploaded_by_its_id(fake_hub: FakeHub, folder: Path) -> None:
    job = Job.objects.create(
        kind="quantize", status=Status.DONE, output_path=str(folder), ended_at=timezone.now()
    )

    upload(job.id, "org/name")

    assert list(fake_hub.repos["org/name"].files) == ["config.json"]


def test_what_goes_wrong_is_one_line(fake_hub: FakeHub, folder: Path) -> None:
    with pytest.raises(CommandError, match="there is no folder"):
        upload(str(folder / "gone"), "org/name")
    fake_hub.fail("create", status=500)
    with pytest.raises(CommandError, match="answered 500"):
        upload(str(folder), "org/name")
