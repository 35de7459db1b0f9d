from collections.abc import Callable
from pathlib import Path

import pytest

from hub.config import HubConfig
from jobs.quantize.folders import FolderFinder

Write = Callable[..., Path]


@pytest.fixture
def finder(config: HubConfig, tmp_path: Path) -> FolderFinder:
    own = (config.models_dir.parent, tmp_path / "state")
    return FolderFinder(config.hf_cache_dir, config.models_dir, own)


@pytest.mark.parametrize(
    ("folder_name", "rel_path"),
    [
        ("models--org--a", ""),
        ("models--org--a", "models--org--a/snapshots/abc123/config.json"),
        ("", "models--org--a/refs/main"),
        ("abc123", ""),
        ("abc123", "abc123/config.json"),
        ("snapshots", "models--org--a/snapshots/abc123/config.json"),
        ("hub", "hub/models--org--a/snapshots/abc123/config.json"),
    ],
)
def test_a_cached_model_is_found_by_its_repo_folder_and_by_its_snapshot(
    finder: FolderFinder, write_cached_model: Write, folder_name: str, rel_path: str
) -> None:
    path = write_cached_model("org/a")

    found = finder.find(folder_name, rel_path)

    assert found is not None
    assert (found.path, found.repo_id, found.model_type) == (path, "org/a", "llama")


def test_a_snapshot_that_is_not_the_main_one_is_found_where_the_path_names_it(
    finder: FolderFinder, write_cached_model: Write, write_model: Write
) -> None:
    older = write_model(write_cached_model("org/a").parent / "older")

    found = finder.find("models--org--a", "models--org--a/snapshots/older/config.json")

    assert found is not None
    assert found.path == older


@pytest.mark.parametrize("place", ["models/org/mine", "mine", "exports/mine"])
def test_a_bare_folder_is_found_below_our_own_folders(
    finder: FolderFinder, config: HubConfig, write_model: Write, place: str
) -> None:
    path = write_model(config.models_dir.parent / place)

    found = finder.find("mine", "mine/config.json")

    assert found is not None
    assert found.path == path
    assert found.repo_id == ("org/mine" if place.startswith("models") else None)


def test_a_bare_folder_of_the_cache_has_no_repo_id(
    finder: FolderFinder, config: HubConfig, write_model: Write
) -> None:
    path = write_model(config.hf_cache_dir / "mine", model_type=None)

    found = finder.find("mine", "")

    assert found is not None
    assert (found.path, found.repo_id, found.model_type) == (path, None, None)


def test_the_path_within_a_picked_folder_leads_to_the_model(
    finder: FolderFinder, config: HubConfig, write_model: Write
) -> None:
    path = write_model(config.models_dir / "org" / "mine")

    found = finder.find("models", "models/org/mine/config.json")

    assert found is not None
    assert found.path == path


@pytest.mark.parametrize(
    "told",
    [
        ("", ""),
        ("elsewhere", ""),
        ("..", ""),
        ("../outside", ""),
        ("/etc", "/etc/passwd"),
        ("outside", "../../outside/config.json"),
        ("models--org--a/../../../outside", ""),
        ("a\0b", ""),
        ("n" * 300, ""),
        ("*", "*/config.json"),
        ("models--..", "models--../snapshots/../config.json"),
        ("", "/".join(["deep"] * 100)),
    ],
)
def test_nothing_else_is_found(
    finder: FolderFinder,
    write_cached_model: Write,
    write_model: Write,
    tmp_path: Path,
    told: tuple[str, str],
) -> None:
    write_cached_model("org/a")
    write_model(tmp_path / "outside")

    assert finder.find(*told) is None


def test_a_link_that_leads_out_of_our_folders_is_not_followed(
    finder: FolderFinder, config: HubConfig, write_model: Write, tmp_path: Path
) -> None:
    write_model(tmp_path / "outside")
    config.hf_cache_dir.mkdir(parents=True)
    (config.hf_cache_dir / "models--org--link").symlink_to(tmp_path / "outside")
    (config.hf_cache_dir / "linked").symlink_to(tmp_path / "outside")

    assert finder.find("linked", "") is None
    assert finder.find("models--org--link", "") is None


def test_a_folder_without_a_config_cannot_be_served(
    finder: FolderFinder, config: HubConfig
) -> None:
    (config.hf_cache_dir / "empty").mkdir(parents=True)

    assert finder.find("empty", "") is None
