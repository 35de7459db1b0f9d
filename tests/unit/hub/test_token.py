from pathlib import Path

import pytest

from hub.token import InvalidToken, Token, Tokens, TokenSource


@pytest.fixture
def tokens(tmp_path: Path) -> Tokens:
    return Tokens(saved=tmp_path / "hf.json", cli_file=tmp_path / "token")


def test_without_any_there_is_none(tokens: Tokens) -> None:
    assert tokens.find() is None


def test_a_saved_token_is_found_and_private(tokens: Tokens) -> None:
    tokens.save("hf_saved")

    assert tokens.find() == Token("hf_saved", TokenSource.SAVED)
    assert tokens.saved.stat().st_mode & 0o777 == 0o600


def test_the_environment_comes_first_and_the_hub_cli_last(tmp_path: Path, tokens: Tokens) -> None:
    tokens.cli_file.write_text("hf_cli\n")
    assert tokens.find() == Token("hf_cli", TokenSource.HUB_CLI)

    tokens.save("hf_saved")
    assert tokens.find() == Token("hf_saved", TokenSource.SAVED)

    with_environment = Tokens(tokens.saved, tokens.cli_file, environment="hf_environment")
    assert with_environment.find() == Token("hf_environment", TokenSource.ENVIRONMENT)


@pytest.mark.parametrize("text", ["", "[]", '{"token": 1}', '{"token": ""}', '{"token": "a\\nb"}'])
def test_a_damaged_file_holds_no_token(text: str, tokens: Tokens) -> None:
    tokens.saved.write_text(text)

    assert tokens.find() is None


@pytest.mark.parametrize("value", ["", "two words", "line\nfeed", "hf_ü", "x" * 1001, "a\0"])
def test_what_could_not_stand_in_a_header_is_no_token(value: str, tokens: Tokens) -> None:
    with pytest.raises(InvalidToken) as caught:
        tokens.save(value)

    assert not value or value not in str(caught.value)
    assert not tokens.saved.exists()


def test_no_token_is_shown_when_it_is_printed() -> None:
    tokens = Tokens(Path("saved"), Path("cli"), environment="hf_secret")

    assert "hf_secret" not in repr(tokens) + repr(tokens.find())
