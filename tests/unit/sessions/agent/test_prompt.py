"""The instructions that a chat begins with."""

import pytest

from sessions.agent.prompt import system_prompt


def instructions(model="owner/Small-135M", **fields):
    given = {"has_tools": False, "hints": (), "user_prompt": "", "ambient": ""}
    return system_prompt(model=model, **{**given, **fields})


@pytest.mark.parametrize("model", ["owner/Small-135M", "/models/of/mine/Small-135M", "Small-135M"])
def test_the_model_is_told_its_name_and_no_place_on_the_disk(model):
    assert "served by the model Small-135M on the user's own computer" in instructions(model)


def test_the_user_has_the_last_word_but_for_where_they_are():
    text = instructions(hints=["A hint."], user_prompt=" Rhyme. ", ambient="[user is on: Chat]")

    assert text.endswith("\n\nA hint.\n\n---\nRhyme.\n\n[user is on: Chat]")


def test_tools_are_spoken_of_only_where_there_are_any():
    assert "tool" in instructions(has_tools=True)
    assert "tool" not in instructions()
