"""What a user writes for a folder, and what no folder can be called."""

from pathlib import Path

import pytest

from jobs.errors import JobError
from jobs.folders import folder_of, has_file


def test_a_folder_is_found_from_home_or_from_here():
    assert folder_of("~/data") == Path.home() / "data"
    assert folder_of("data") == Path.cwd() / "data"


@pytest.mark.parametrize(
    "text",
    ["a\0b", "\ud800", "/tmp/\udcff", "~nosuchuser/x", "a" * 256, "é" * 128, "/" + "a/" * 2048],
    ids=lambda text: ascii(text)[:20],
)
def test_what_no_path_can_be_is_refused(text):
    with pytest.raises(JobError, match=r"is no path .*; name a folder") as refusal:
        folder_of(text)

    assert len(str(refusal.value)) < 400


def test_every_path_that_passes_can_be_looked_at():
    longest = folder_of("/" + "a" * 255)

    assert not longest.is_dir()
    assert not has_file(longest, "config.json")
    assert not has_file(Path("/" + "a" * 256), "config.json")
