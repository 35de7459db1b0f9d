"""What a model can do besides continuing text, as its folder tells before it is loaded."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hub.errors import BrokenModel
from hub.model_files import open_file, read_object
from hub.text_config import model_type, words
from hub.weights import AUDIO_MARK, VISION_MARK, Weights

# Take pictures and sound without a tower: a projection in the language model does.
ENCODER_FREE_TYPES = {"gemma4_unified"}
SIDECAR_FOLDER = "optiq"  # where OptiQ checkpoints keep towers that mlx-lm must not load
MAX_TEMPLATE_BYTES = 2**20

TOOLS_WORD = re.compile(r"\btools\b")
# Fields and switches of reasoning, and the markers by which families write it.
REASONING_WORD = re.compile(
    r"enable_thinking|thinking_budget|reasoning_content|reasoning_effort"
    r"|<(longcat_)?think>|<\|think:start\|>|<\|open\|>think|<\|channel\|>analysis|<\|channel>thought"
)


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What the folder holds, whether or not this server can use it yet.

    embeddings: vectors of texts. tools, reasoning: what the chat template speaks of.
    """

    vision: bool = False
    audio: bool = False
    embeddings: bool = False
    tools: bool = False
    reasoning: bool = False


def read_capabilities(
    folder: Path, config: Mapping[str, Any], weights: Weights, *, embeddings: bool
) -> Capabilities:
    """Read the capabilities of a folder whose weights are known."""
    template = _chat_template(folder)
    sidecars = _sidecars(folder)
    free = model_type(config) in ENCODER_FREE_TYPES

    def perceives(section: str, mark: re.Pattern[str], tower: bool) -> bool:
        # A conversion of the language model alone keeps the section and drops the tower.
        there = free or tower or any(mark.search(name) for name in sidecars)
        return isinstance(config.get(section), Mapping) and there

    return Capabilities(
        vision=perceives("vision_config", VISION_MARK, weights.sees),
        audio=perceives("audio_config", AUDIO_MARK, weights.hears),
        embeddings=embeddings,
        tools=TOOLS_WORD.search(template) is not None,
        reasoning=REASONING_WORD.search(template) is not None,
    )


def _sidecars(folder: Path) -> list[str]:
    places = (folder, folder / SIDECAR_FOLDER)
    return [file.name for place in places for file in place.glob("*.safetensors")]


def _chat_template(folder: Path) -> str:
    """The chat template, or all of them, as text; "" where none can be read."""
    try:
        with open_file(folder / "chat_template.jinja") as file:
            return file.read(MAX_TEMPLATE_BYTES).decode(errors="replace")
    except OSError:
        pass  # older checkpoints have it in a JSON file
    for name in ("chat_template.json", "tokenizer_config.json"):
        try:
            found = read_object(folder / name).get("chat_template")
        except BrokenModel:
            continue  # what cannot be read offers nothing
        if found is not None:
            return "\n".join(_templates(found))
    return ""


def _templates(value: object) -> list[str]:
    """One template, or several by name: `[{"name": …, "template": …}]`."""
    if isinstance(value, list):
        return [
            text for item in value if isinstance(item, dict) for text in words(item.get("template"))
        ]
    return words(value)
