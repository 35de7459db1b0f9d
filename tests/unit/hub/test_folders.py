from pathlib import Path

import pytest

from hub.config import HubConfig
from hub.errors import BrokenModel
from hub.folders import cached_repos, main_snapshot, own_folders, repo_id_of


def test_our_folders_are_named_by_owner_and_name(config: HubConfig) -> None:
    (config.models_dir / "org" / "name").mkdir(parents=True)
    (config.models_dir / "org" / ".name.partial").mkdir()
    (config.models_dir / "stray.txt").touch()

    assert list(own_folders(config)) == [("org/name", config.models_dir / "org" / "name")]


def test_the_cache_may_hold_data_sets_and_names_with_dashes(config: HubConfig) -> None:
    repo = config.hf_cache_dir / "models--org--some-name--4bit"
    repo.mkdir(parents=True)
    (config.hf_cache_dir / "datasets--org--rows").mkdir()

    assert list(cached_repos(config)) == [("org/some-name/4bit", repo)]


def test_places_that_do_not_exist_are_empty(config: HubConfig) -> None:
    assert list(own_folders(config)) == []
    assert list(cached_repos(config)) == []


@pytest.mark.parametrize("revision", ["missing", "", "../..", "."])
def test_a_ref_must_name_a_snapshot(tmp_path: Path, revision: str) -> None:
    (tmp_path / "refs").mkdir()
    (tmp_path / "snapshots").mkdir()
    (tmp_path / "refs" / "main").write_text(revision)

    with pytest.raises(BrokenModel, match="snapshot"):
        main_snapshot(tmp_path)


def test_a_path_into_the_cache_gives_back_its_repo_id(tmp_path: Path) -> None:
    snapshot = tmp_path / "models--org--name" / "snapshots" / "abc"

    assert repo_id_of(snapshot) == "org/name"
    assert repo_id_of(tmp_path / "my-model") == "my-model"
