"""The secret key: one per installation, for its owner's eyes."""

import stat

from mlxsite import secret_key


def test_a_key_is_made_once_and_kept(tmp_path):
    path = tmp_path / "state" / "secret_key"

    first, second = secret_key.load_or_create(path), secret_key.load_or_create(path)

    assert first == second
    assert len(first) >= 50
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_nothing_but_the_key_is_left_in_the_folder(tmp_path):
    secret_key.load_or_create(tmp_path / "secret_key")

    assert [path.name for path in tmp_path.iterdir()] == ["secret_key"]


def test_the_key_another_process_made_first_wins(tmp_path, monkeypatch):
    path = tmp_path / "secret_key"

    def made_meanwhile(draft, target):
        target.write_text("theirs")
        raise FileExistsError

    monkeypatch.setattr(secret_key.os, "link", made_meanwhile)

    assert secret_key.load_or_create(path) == "theirs"
    assert [path.name for path in tmp_path.iterdir()] == ["secret_key"]
