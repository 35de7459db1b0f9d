"""The Hugging Face token: where it may come from, and where ours is kept.

A token is a password. It is sent to the Hub, and never logged, printed or given back.
"""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from hub.errors import HubError
from hub.state_file import read_object, write_object

# What may stand in a header: one word of visible ASCII.
WORD = re.compile(r"[!-~]{1,1000}")


class InvalidToken(HubError):
    """What was given cannot be a token."""


class TokenSource(StrEnum):
    """Where a token comes from."""

    ENVIRONMENT = "environment"
    SAVED = "saved"
    HUB_CLI = "hf auth login"


@dataclass(frozen=True, slots=True)
class Token:
    value: str = field(repr=False)
    source: TokenSource


@dataclass(frozen=True, slots=True)
class Tokens:
    """saved: our own file. cli_file: where `hf auth login` leaves its token."""

    saved: Path
    cli_file: Path
    environment: str | None = field(default=None, repr=False)

    def find(self) -> Token | None:
        """The token to use: the environment's, else the saved one, else the Hub CLI's."""
        found = (
            (self.environment, TokenSource.ENVIRONMENT),
            (read_object(self.saved).get("token"), TokenSource.SAVED),
            (_first_line(self.cli_file), TokenSource.HUB_CLI),
        )
        for value, source in found:
            if isinstance(value, str) and WORD.fullmatch(value.strip()):
                return Token(value.strip(), source)
        return None

    def save(self, value: str) -> None:
        """Keep a token in our file, in place of any other; raises InvalidToken, NotSaved."""
        if not WORD.fullmatch(value):
            raise InvalidToken("a token is one word of letters, digits and signs")
        write_object(self.saved, {"token": value})


def _first_line(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").partition("\n")[0]
    except (OSError, UnicodeDecodeError):
        return ""
