"""A memory of the test's own: `vault` is there, `no_vault` is only a place for one."""

import random

import pytest

from memory import git
from memory.catalog import Catalog
from memory.config import VaultConfig
from memory.setup.setup import set_up
from memory.vault import Vault
from tests.plugins.articles import make_article


@pytest.fixture
def no_vault(tmp_path, settings):
    """The vault that the settings name; its folder is not there yet."""
    docs = tmp_path / "project"
    (docs / "docs").mkdir(parents=True)
    (docs / "README.md").write_text("# mlxsite\n\nA private server.\n")
    (docs / "docs" / "api.md").write_text("# HTTP API\n\n## Memory\n\nThe lantern route.\n")
    settings.VAULT = Vault(VaultConfig(tmp_path / "state" / "wiki", docs_root=docs))
    settings.CATALOG = Catalog(settings.VAULT)
    return settings.VAULT


@pytest.fixture
def vault(no_vault):
    set_up(no_vault)
    return no_vault


@pytest.fixture
def put(vault):
    """Call with a stem and a text: writes the article, and commits it with a subject."""

    def write(stem, text, *, subject=None):
        path = vault.root / "articles" / f"{stem}.md"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        if subject is not None:
            return vault.git.commit([f"articles/{stem}.md"], subject)
        return None

    return write


@pytest.fixture
def many(vault, put):
    """Call with a number: writes as many articles, linked at random; returns their names."""

    def write(count, *, seed=1):
        rng = random.Random(seed)
        stems = [f"Article_{number:03}" for number in range(count)]
        for stem in stems:
            put(stem, make_article(rng, stem, rng.sample(stems, 3)))
        return stems

    return write


@pytest.fixture
def no_git(monkeypatch):
    """A machine without git."""
    monkeypatch.setattr(git, "git_path", lambda: None)
