from typing import Any

import pytest

from jobs.finetune.data.messages import conversation_of
from jobs.finetune.data.rows import BadRow, Row

ASK = {"role": "user", "content": "What is 2 + 2?"}
RIGHT = {"role": "assistant", "content": "4"}
WRONG = {"role": "assistant", "content": "5"}


def conversation(**row: Any) -> Any:
    return conversation_of(Row(row, "train.jsonl line 1"))


def test_the_last_message_is_the_answer() -> None:
    read = conversation(messages=[ASK, WRONG, ASK, RIGHT])

    assert read.prompt == (ASK, WRONG, ASK)
    assert read.answers == (RIGHT,)


def test_prompt_and_completion_are_a_question_and_its_answer() -> None:
    read = conversation(prompt="What is 2 + 2?", completion="4")

    assert (read.prompt, read.answers) == ((ASK,), (RIGHT,))


@pytest.mark.parametrize(
    "row",
    [
        {"prompt": "What is 2 + 2?", "chosen": "4", "rejected": "5"},
        {"prompt": [ASK], "chosen": [RIGHT], "rejected": [WRONG]},
        {"prompt": "What is 2 + 2?", "chosen": RIGHT, "rejected": WRONG},
        {"prompt": [ASK], "chosen": [ASK, RIGHT], "rejected": [ASK, WRONG]},
        {"chosen": [ASK, RIGHT], "rejected": [ASK, WRONG]},
    ],
    ids=["texts", "lists", "messages", "prompt repeated", "no prompt"],
)
def test_pairs_come_in_several_shapes(row: dict[str, Any]) -> None:
    read = conversation(**row)

    assert (read.prompt, read.answers) == ((ASK,), (RIGHT, WRONG))


def test_tools_go_along() -> None:
    tool = {"type": "function", "function": {"name": "add"}}

    assert conversation(messages=[ASK, RIGHT], tools=[tool]).tools == (tool,)


def test_arguments_of_calls_become_objects() -> None:
    call = {"type": "function", "function": {"name": "add", "arguments": '{"a": 2}'}}

    read = conversation(messages=[ASK, {"role": "assistant", "tool_calls": [call]}])

    [answer] = read.answers
    assert answer["content"] == ""
    assert answer["tool_calls"][0]["function"]["arguments"] == {"a": 2}


def test_parts_of_text_are_one_text() -> None:
    parts = [{"type": "text", "text": "What is "}, {"type": "text", "text": "2 + 2?"}]

    assert conversation(messages=[{**ASK, "content": parts}, RIGHT]).prompt == (ASK,)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"messages": "hello"}, "messages is not a list of messages"),
        ({"messages": []}, "messages is not a list of messages"),
        ({"messages": [ASK, "4"]}, r"messages\[1\] is no object with a role"),
        ({"messages": [ASK, {"role": "assistant", "content": 4}]}, r"messages\[1\].content"),
        (
            {"messages": [ASK, {**RIGHT, "tool_calls": {}}, {**RIGHT, "tool_calls": 1}]},
            "tool_calls",
        ),
        ({"messages": [ASK, RIGHT], "tools": "add"}, "tools is not a list"),
        ({"prompt": 2, "completion": "4"}, "prompt is not a list of messages, nor text"),
        ({"chosen": [ASK, RIGHT], "rejected": [RIGHT, WRONG]}, "do not begin alike"),
        ({"chosen": "4", "rejected": "5"}, "no prompt"),
    ],
)
def test_a_row_of_another_shape_is_named(row: dict[str, Any], problem: str) -> None:
    with pytest.raises(BadRow, match=rf"^train\.jsonl line 1: .*{problem}"):
        conversation(**row)
