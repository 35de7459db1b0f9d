from collections import namedtuple
from pathlib import Path

import pytest

from hub.downloads.disk_space import RESERVE_BYTES, require_room
from hub.downloads.errors import NoRoom

Usage = namedtuple("Usage", "total used free")
NEEDED = 5 * 10**9


@pytest.fixture
def free(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Just what `NEEDED` takes is free; returns the places that were asked about."""
    asked: list[Path] = []

    def disk_usage(place: Path) -> Usage:
        asked.append(place)
        return Usage(0, 0, NEEDED + RESERVE_BYTES)

    monkeypatch.setattr("shutil.disk_usage", disk_usage)
    return asked


@pytest.mark.usefixtures("free")
def test_what_fits_with_the_reserve_is_fine(tmp_path: Path) -> None:
    require_room(tmp_path, NEEDED, "owner/model")


@pytest.mark.usefixtures("free")
def test_a_byte_more_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(NoRoom) as caught:
        require_room(tmp_path, NEEDED + 1, "owner/model")

    assert str(caught.value) == (
        "owner/model needs 5.0 GB and 1.1 GB to spare, and 6.1 GB are free: free some space, "
        "or set HF_HUB_CACHE to a folder on another disk"
    )


def test_a_folder_that_is_not_there_yet_is_judged_by_the_one_it_will_be_in(
    tmp_path: Path, free: list[Path]
) -> None:
    require_room(tmp_path / "not" / "yet", 1, "owner/model")

    assert free == [tmp_path]


def test_nothing_more_needs_no_room(tmp_path: Path, free: list[Path]) -> None:
    require_room(tmp_path, 0, "owner/model")

    assert free == []
