"""Other ways to write a conversation, each of them keeping all that was said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.messages import Message, Role, ToolCall
from inference.text.fallbacks import (
    CHANGES,
    fold_system,
    hoist_systems,
    merge_adjacent,
    system_first,
)

ROLES = {"s": Role.SYSTEM, "u": Role.USER, "a": Role.ASSISTANT, "t": Role.TOOL}


def conversation(*entries):
    """`"u:hi"` is a user's message."""
    return tuple(Message(ROLES[entry[0]], entry[2:]) for entry in entries)


def written(messages):
    letters = {role: letter for letter, role in ROLES.items()}
    return [f"{letters[message.role]}:{message.text}" for message in messages]


@pytest.mark.parametrize(
    ("change", "before", "after"),
    [
        (system_first, ["s:A", "s:B", "u:x"], ["s:A\n\nB", "u:x"]),
        (system_first, ["s:A", "u:x", "s:B", "u:y"], ["s:A", "u:x", "u:B", "u:y"]),
        (system_first, ["u:x", "s:B"], ["u:x", "u:B"]),
        (system_first, ["s:", "s:B", "u:x"], ["s:B", "u:x"]),
        (hoist_systems, ["u:x", "s:A", "a:y", "s:B"], ["s:A\n\nB", "u:x", "a:y"]),
        (hoist_systems, ["u:x"], ["u:x"]),
        (fold_system, ["s:A", "a:x", "u:y", "u:z"], ["a:x", "u:A\n\ny", "u:z"]),
        (fold_system, ["s:A", "a:x"], ["u:A", "a:x"]),
        (fold_system, ["u:x", "s:A"], ["u:x", "s:A"]),
        (fold_system, [], []),
        (merge_adjacent, ["u:x", "u:y", "a:z", "a:", "u:w"], ["u:x\n\ny", "a:z", "u:w"]),
        (merge_adjacent, ["t:1", "t:2"], ["t:1", "t:2"]),
        (merge_adjacent, [], []),
    ],
)
def test_each_change_does_one_thing(change, before, after):
    assert written(change(conversation(*before))) == after


def test_merged_answers_keep_their_calls_and_thoughts():
    first = Message(Role.ASSISTANT, "a", reasoning="r", tool_calls=(ToolCall("1", "f", {}),))
    second = Message(Role.ASSISTANT, "", reasoning="s", tool_calls=(ToolCall("2", "g", {}),))

    [merged] = merge_adjacent((first, second))

    assert (merged.text, merged.reasoning) == ("a", "r\n\ns")
    assert [call.name for call in merged.tool_calls] == ["f", "g"]


def test_what_stays_in_place_is_tried_before_what_moves():
    said = conversation("s:A", "u:x", "s:B", "u:y")

    assert [written(change(said)) for change in CHANGES] == [
        ["s:A", "u:x", "s:B", "u:y"],
        ["s:A", "u:x", "u:B", "u:y"],
        ["s:A", "u:x\n\nB\n\ny"],
        ["u:A\n\nx", "u:B", "u:y"],
        ["u:A\n\nx\n\nB\n\ny"],
        ["s:A\n\nB", "u:x\n\ny"],
        ["u:A\n\nB\n\nx\n\ny"],
    ]


@given(st.lists(st.tuples(st.sampled_from("suat"), st.integers(0, 99)), max_size=8))
def test_no_change_loses_a_word(entries):
    messages = conversation(*(f"{letter}:[{word}]" for letter, word in entries))
    said = sorted(f"[{word}]" for _letter, word in entries)

    for change in CHANGES:
        texts = "\n\n".join(message.text for message in change(messages))
        assert sorted(texts.split("\n\n") if texts else []) == said
