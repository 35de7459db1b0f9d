import json
from pathlib import Path
from typing import Any

import pytest

from hub.capabilities import Capabilities, read_capabilities
from hub.weights import Part, Weights
from inference.text.reasoning import _FORMATS, ReasoningFormat

SEES = {"model_type": "gemma4", "vision_config": {}}
TEXT_ONLY = Weights(Part(), Part())


def read(folder: Path, config: dict[str, Any], weights: Weights = TEXT_ONLY) -> Capabilities:
    return read_capabilities(folder, config, weights, embeddings=False)


def test_a_model_sees_and_hears_with_the_towers_in_its_weights(tmp_path: Path) -> None:
    config = {**SEES, "audio_config": {}}

    assert read(tmp_path, config, Weights(Part(), Part(), sees=True)) == Capabilities(vision=True)
    assert read(tmp_path, config, Weights(Part(), Part(), hears=True)) == Capabilities(audio=True)


def test_a_conversion_of_the_text_model_alone_sees_nothing(tmp_path: Path) -> None:
    assert read(tmp_path, SEES) == Capabilities()


@pytest.mark.parametrize("place", [".", "optiq"])
def test_a_tower_may_lie_in_a_file_of_its_own(tmp_path: Path, place: str) -> None:
    (tmp_path / place).mkdir(exist_ok=True)
    (tmp_path / place / "optiq_vision.safetensors").touch()

    assert read(tmp_path, SEES).vision


def test_a_unified_model_needs_no_tower(tmp_path: Path) -> None:
    config = {"model_type": "gemma4_unified", "vision_config": {}, "audio_config": {}}

    assert read(tmp_path, config) == Capabilities(vision=True, audio=True)
    assert read(tmp_path, {**config, "audio_config": None}) == Capabilities(vision=True)


TEMPLATE = "{% if tools %}{{ tools }}{% endif %}{% if enable_thinking %}<think>{% endif %}"


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("chat_template.jinja", TEMPLATE),
        ("chat_template.json", json.dumps({"chat_template": TEMPLATE})),
        ("tokenizer_config.json", json.dumps({"chat_template": TEMPLATE})),
        (
            "tokenizer_config.json",
            json.dumps({"chat_template": [{"name": "tool_use", "template": TEMPLATE}]}),
        ),
    ],
)
def test_tools_and_reasoning_are_what_the_chat_template_speaks_of(
    tmp_path: Path, file: str, content: str
) -> None:
    (tmp_path / file).write_text(content)

    assert read(tmp_path, {}) == Capabilities(tools=True, reasoning=True)


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        '{"chat_template": 5}',
        '{"chat_template": [5, {"template": null}]}',
        '{"chat_template": "{{ messages }}", "added": "<tools>"}',
    ],
)
def test_a_template_that_is_none_offers_nothing(tmp_path: Path, content: str) -> None:
    (tmp_path / "tokenizer_config.json").write_text(content)

    assert read(tmp_path, {}) == Capabilities()


# As the template of gpt-oss speaks of it: no word of thinking, a channel and an effort.
HARMONY = """{%- set reasoning_effort = reasoning_effort or "medium" %}
{{- "Reasoning: " + reasoning_effort + "\\n\\n" }}
{{- "<|start|>assistant<|channel|>analysis<|message|>" + message.thinking + "<|end|>" }}"""


def test_a_template_of_harmony_reasons(tmp_path: Path) -> None:
    (tmp_path / "chat_template.jinja").write_text(HARMONY)

    assert read(tmp_path, {}) == Capabilities(reasoning=True)


@pytest.mark.parametrize("reasoning", _FORMATS, ids=lambda known: known.start)
def test_every_way_to_mark_reasoning_that_answers_are_read_by_is_seen(
    tmp_path: Path, reasoning: ReasoningFormat
) -> None:
    opening = reasoning.start + reasoning.header
    (tmp_path / "chat_template.jinja").write_text(f"{opening}{{{{ thoughts }}}}{reasoning.end}")

    assert read(tmp_path, {}).reasoning


@pytest.mark.parametrize("template", ["{{ messages }}", "<|channel|>final<|message|>", "analysis"])
def test_other_templates_do_not_reason(tmp_path: Path, template: str) -> None:
    (tmp_path / "chat_template.jinja").write_text(template)

    assert not read(tmp_path, {}).reasoning
