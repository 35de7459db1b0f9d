"""A vault is made once, and mended as often as one likes."""

import os
import subprocess
import tempfile

import pytest

from memory.config import VaultConfig
from memory.errors import ForeignVault, NotWritten, OutsideVault
from memory.reference import MIRRORS
from memory.setup import renewal
from memory.setup.location import confined
from memory.setup.setup import META_PAGES, PAGES, renew_pages, set_up
from memory.vault import Vault, blob_hash

MADE = {
    *("articles/", "Reference/", "Meta/", "Talk/", "README.md", ".gitignore"),
    *(f"Meta/{stem}.md" for stem in META_PAGES),
    *("Reference/mlxsite_README.md", "Reference/mlxsite_Server_API.md"),
}


def test_a_vault_is_made_with_its_pages_and_a_first_commit(no_vault):
    result = set_up(no_vault)

    assert set(result.created) == MADE
    assert (result.git_initialized, result.already_set_up) == (True, False)
    assert no_vault.exists
    assert no_vault.git.changed(".") == []
    assert [r.subject for r in no_vault.git.history("README.md", 5)] == ["Begin the memory"]
    assert (no_vault.root.stat().st_mode & 0o777) == 0o700


def test_what_is_there_stays_and_only_what_is_missing_is_made(vault):
    (vault.root / "README.md").write_text("mine")
    (vault.root / "Meta" / "Buckets.md").unlink()
    (vault.root / "articles" / "Mine.md").write_text("# Mine")

    result = set_up(vault)

    assert result.created == ["Meta/Buckets.md"]
    assert (vault.root / "README.md").read_text() == "mine"
    assert sorted(vault.git.changed(".")) == ["README.md", "articles/Mine.md"]
    assert set_up(vault).already_set_up


@pytest.fixture
def earlier(vault, monkeypatch):
    """The page Buckets of a vault, as an earlier version made and committed it."""
    page = vault.root / "Meta" / "Buckets.md"
    page.write_text("# Buckets of old\n")
    vault.git.commit(["Meta/Buckets.md"], "as it was")
    versions = (blob_hash(page.read_bytes()), *renewal.SHIPPED["Buckets.md"])
    monkeypatch.setitem(renewal.SHIPPED, "Buckets.md", versions)
    return page


def test_a_page_that_nobody_edited_is_brought_up_to_date(vault, earlier):
    result = set_up(vault)

    assert (result.created, result.renewed) == ([], ["Meta/Buckets.md"])
    assert earlier.read_bytes() == renewal.page_bytes("Buckets.md")
    assert vault.git.changed(".") == []
    assert vault.git.history("Meta/Buckets.md", 1)[0].subject.startswith("Bring pages")
    assert set_up(vault).renewed == []


@pytest.mark.parametrize("change", ["edited", "a link", "in a folder that leads out"])
def test_a_page_that_the_user_has_made_otherwise_stays(vault, earlier, tmp_path, change):
    if change == "edited":
        earlier.write_text(earlier.read_text() + "- mine: what is mine\n")
    elif change == "a link":
        earlier.rename(tmp_path / "Buckets.md")
        earlier.symlink_to(tmp_path / "Buckets.md")
    else:
        earlier.parent.rename(tmp_path / "Meta")
        earlier.parent.symlink_to(tmp_path / "Meta")
    before = earlier.read_bytes()

    assert renew_pages(vault) == []

    assert earlier.read_bytes() == before


def test_all_versions_of_each_page_are_known():
    """A page that is changed needs its new hash as the last of its line in SHIPPED."""
    newest = {source: blob_hash(renewal.page_bytes(source)) for source in PAGES.values()}

    assert {source: versions[-1] for source, versions in renewal.SHIPPED.items()} == newest


def test_a_folder_that_becomes_a_vault_keeps_its_other_files_to_itself(no_vault):
    (no_vault.root / "articles").mkdir(parents=True)
    (no_vault.root / "articles" / "Mine.md").write_text("# Mine")
    (no_vault.root / "film.mov").write_text("large")

    result = set_up(no_vault)

    assert "articles/" not in result.created
    assert no_vault.git.changed(".") == ["film.mov"]


def test_a_real_file_is_never_replaced_by_a_mirror_and_a_stale_link_is_led_right(vault):
    folder = vault.root / "Reference"
    (folder / "mlxsite_README.md").unlink()
    (folder / "mlxsite_README.md").write_text("mine")
    (folder / "mlxsite_Server_API.md").unlink()
    (folder / "mlxsite_Server_API.md").symlink_to(vault.root / "nowhere")

    result = set_up(vault)

    assert result.created == ["Reference/mlxsite_Server_API.md"]
    assert vault.read("Reference/mlxsite_README").text == "mine"
    assert vault.read("Reference/mlxsite_Server_API").text.startswith("# HTTP API")


def test_every_mirror_is_of_a_file_that_there_is(settings):
    root = settings.VAULT.docs_root

    assert [path for path in MIRRORS.values() if not (root / path).is_file()] == []


def test_a_vault_without_git_has_no_history_and_gets_one_later(no_vault, no_git, monkeypatch):
    result = set_up(no_vault)
    assert (result.git_initialized, no_vault.git.is_repository) == (False, False)

    monkeypatch.undo()

    assert set_up(no_vault).git_initialized


def test_a_place_that_cannot_be_written_is_an_error_without_its_path(no_vault):
    no_vault.root.parent.mkdir()
    no_vault.root.write_text("a file")

    with pytest.raises(NotWritten, match="the vault cannot be written") as caught:
        set_up(no_vault)
    assert str(no_vault.root) not in str(caught.value)


def test_vaults_are_made_below_the_root_or_in_a_temporary_folder(tmp_path):
    root = tmp_path / "wiki"

    assert confined(str(root / "sub" / "folder"), root) == root / "sub" / "folder"
    assert confined(str(tmp_path / "other"), root) == tmp_path / "other"


def test_the_folder_of_temporary_files_itself_is_no_place(tmp_path):
    with pytest.raises(OutsideVault):
        confined(tempfile.gettempdir(), tmp_path / "wiki")


@pytest.mark.parametrize("path", ["", "/", "/etc", "~/elsewhere", "wiki", "/tmp\0", "~nobody/x"])
def test_no_vault_is_made_anywhere_else(path, tmp_path, monkeypatch):
    """Public case se-04."""
    monkeypatch.chdir("/")  # wherever the project lies, which may be a temporary folder
    with pytest.raises(OutsideVault):
        confined(path, tmp_path)


def test_no_link_leads_a_vault_elsewhere(tmp_path):
    (tmp_path / "out").symlink_to("/etc")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")

    for path in ("out/wiki", "out/../x/../../etc", "../../../../../../etc/wiki"):
        with pytest.raises(OutsideVault):
            confined(str(tmp_path / path), tmp_path)


@pytest.fixture
def trap(tmp_path):
    """A folder with a repository whose settings run a program; returns it and what that makes."""
    root, sprung = tmp_path / "trap", tmp_path / "sprung"
    root.mkdir()
    git = ["git", "-C", str(root)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "config", "filter.x.clean", f"touch '{sprung}'; cat"], check=True)
    (root / ".gitattributes").write_text("* filter=x\n")
    return root, sprung


def vault_in(root, vault):
    return Vault(VaultConfig(root, vault.docs_root))


@pytest.mark.parametrize("foreign", ["root", "repository", "what the repository points at"])
def test_a_folder_of_another_user_becomes_no_vault_and_its_settings_run_nothing(
    trap, no_vault, monkeypatch, foreign
):
    root, sprung = trap
    paths = {"root": root, "repository": root / ".git"}
    if foreign not in paths:
        paths[foreign] = (root / ".git").rename(root.parent / "elsewhere")
        (root / ".git").write_text(f"gitdir: {paths[foreign]}\n")
    belongs_to_another(monkeypatch, paths[foreign])

    with pytest.raises(ForeignVault):
        set_up(vault_in(root, no_vault))

    assert not sprung.exists()
    assert not (root / "Meta").exists()
    assert not vault_in(root, no_vault).git.is_repository


def belongs_to_another(monkeypatch, path):
    status = path.stat()

    def own_status(path, **options):
        found = real(path, **options)
        is_it = (found.st_ino, found.st_dev) == (status.st_ino, status.st_dev)
        return os.stat_result([*found[:4], found.st_uid + 1, *found[5:]]) if is_it else found

    real = os.stat
    monkeypatch.setattr("memory.ownership.os.lstat", lambda p: own_status(p, follow_symlinks=False))
    monkeypatch.setattr("memory.ownership.os.stat", own_status)


def test_no_vault_is_made_within_a_folder_of_another_user(tmp_path, monkeypatch):
    folder = tmp_path / "theirs"
    (folder / "inner").mkdir(parents=True)
    belongs_to_another(monkeypatch, folder)

    for path in (folder, folder / "new", folder / "inner"):
        with pytest.raises(ForeignVault):
            confined(str(path), tmp_path / "wiki")
    assert confined(str(folder / "wiki" / "sub"), folder / "wiki") == folder / "wiki" / "sub"


def test_a_repository_of_ones_own_is_used_wherever_it_is(trap, no_vault):
    root, sprung = trap

    set_up(vault_in(root, no_vault))

    assert sprung.exists()  # what the user's own settings say is done
    assert vault_in(root, no_vault).git.is_repository


@pytest.mark.parametrize("folder", ["articles", "Reference", "Meta", "Talk"])
def test_nothing_is_made_where_an_inner_link_leads(no_vault, tmp_path, folder):
    outside = tmp_path / "outside"
    outside.mkdir()
    no_vault.root.mkdir(parents=True)
    (no_vault.root / folder).symlink_to(outside)

    with pytest.raises(NotWritten, match=f"{folder}/ leads out of the vault"):
        set_up(no_vault)

    assert list(outside.iterdir()) == []
    assert [path.name for path in no_vault.root.iterdir()] == [folder]


@pytest.mark.parametrize("name", [".writing.lock", "README.md"])
def test_nothing_is_made_where_a_linked_file_leads(no_vault, tmp_path, name):
    no_vault.root.mkdir(parents=True)
    (no_vault.root / name).symlink_to(tmp_path / "made")

    if name == "README.md":
        set_up(no_vault)
    else:
        with pytest.raises(NotWritten, match="is a link"):
            set_up(no_vault)

    assert not (tmp_path / "made").exists()


def test_a_mirror_that_leads_to_itself_is_led_right(vault):
    mirror = vault.root / "Reference" / "mlxsite_README.md"
    mirror.unlink()
    mirror.symlink_to(mirror.name)

    assert set_up(vault).created == ["Reference/mlxsite_README.md"]
