"""Choices among names that a page of the user's defines: how they are put, how answers are read."""

import re
from collections.abc import Mapping

from memory.synthesis.clip import clip
from memory.synthesis.names import canonical

LONGEST_TOLD = 120  # characters of what belongs to a name


def list_choices(defined: Mapping[str, str]) -> str:
    return "\n".join(f"- {name}: {clip(what, LONGEST_TOLD)}" for name, what in defined.items())


def read_choices(answer: str, defined: Mapping[str, str], most: int) -> list[str]:
    """Return the names of an answer that are among the defined ones, as these are spelt."""
    by_key = {canonical(name): name for name in defined}
    told = (canonical(part.partition(":")[0]) for part in re.split(r"[\n,;]", answer))
    return list(dict.fromkeys(by_key[key] for key in told if key in by_key))[:most]
