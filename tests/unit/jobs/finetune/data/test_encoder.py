from collections.abc import Callable
from typing import Any

import pytest

from jobs.finetune.data.encoder import Encoder
from jobs.finetune.data.messages import Conversation
from jobs.finetune.data.rows import BadRow
from tests.plugins.byte_ids import END, END_OF_TEXT, START, ids

MakeTokenizer = Callable[..., Any]

HELLO = {"role": "user", "content": "Hi"}
ANSWER = {"role": "assistant", "content": "Yo"}
TURNS = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
OPENED = "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"


def encode(tokenizer: Any, *messages: dict[str, Any], tools: tuple[Any, ...] = ()) -> Any:
    conversation = Conversation(messages[:-1], messages[-1:], tools)
    prompt, [answer] = Encoder(tokenizer).conversation(conversation, "train.jsonl line 1")
    return prompt, answer


def test_prompt_and_answer_part_where_generation_begins(tokenizer: Any) -> None:
    prompt, answer = encode(tokenizer, HELLO, ANSWER)

    assert prompt == [START, *ids("user\nHi"), END, *ids("\n"), START, *ids("assistant\n")]
    assert answer == [*ids("Yo"), END]


def test_only_the_last_turn_is_the_answer(tokenizer: Any) -> None:
    prompt, answer = encode(tokenizer, HELLO, ANSWER, HELLO, {**ANSWER, "content": "Hey"})

    assert prompt == [
        *[START, *ids("user\nHi"), END, *ids("\n")],
        *[START, *ids("assistant\nYo"), END, *ids("\n")],
        *[START, *ids("user\nHi"), END, *ids("\n")],
        *[START, *ids("assistant\n")],
    ]
    assert answer == [*ids("Hey"), END]


def test_line_breaks_do_not_merge_across_the_border(tokenizer: Any) -> None:
    prompt, answer = encode(tokenizer, HELLO, {**ANSWER, "content": "\n\nYo"})

    assert prompt[-10:] == ids("assistant\n")
    assert answer == [*ids("\n\nYo"), END]


def test_a_last_turn_of_the_user_is_learnt_as_well(tokenizer: Any) -> None:
    prompt, answer = encode(tokenizer, ANSWER, HELLO)

    assert prompt == [START, *ids("assistant\nYo"), END, *ids("\n")]
    assert answer == [START, *ids("user\nHi"), END]


def test_a_single_message_has_no_prompt(tokenizer: Any) -> None:
    assert encode(tokenizer, ANSWER) == ([], [START, *ids("assistant\nYo"), END])


def test_a_template_that_ends_no_turn_gets_the_end_of_sequence(
    make_tokenizer: MakeTokenizer,
) -> None:
    template = "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}"
    tokenizer = make_tokenizer(
        chat_template=template + "{% if add_generation_prompt %}[assistant]{% endif %}"
    )

    assert encode(tokenizer, HELLO, ANSWER) == (
        ids("[user]Hi[assistant]"),
        [*ids("Yo"), END],
    )


def test_tools_stand_in_the_prompt(make_tokenizer: MakeTokenizer) -> None:
    template = "{% if tools %}{{ tools[0].name }}{% endif %}" + TURNS + OPENED
    tool = {"name": "add"}

    prompt, answer = encode(make_tokenizer(chat_template=template), HELLO, ANSWER, tools=(tool,))

    assert prompt[:4] == [*ids("add"), START]
    assert answer == [*ids("Yo"), END]


def test_a_call_is_an_answer(make_tokenizer: MakeTokenizer) -> None:
    turns = (
        "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}"
        "{% for c in m.tool_calls or [] %}{{ c.function.name }}({{ c.function.arguments.a }})"
        "{% endfor %}<|im_end|>\n{% endfor %}"
    )
    call = {"function": {"name": "add", "arguments": {"a": 2}}}

    _, answer = encode(
        make_tokenizer(chat_template=turns + OPENED),
        HELLO,
        {"role": "assistant", "content": "", "tool_calls": [call]},
    )

    assert answer == [*ids("add(2)"), END]


def test_an_opening_that_past_answers_lack_stays_in_the_prompt(
    make_tokenizer: MakeTokenizer,
) -> None:
    opened = "{% if add_generation_prompt %}<|im_start|>assistant\n<think>{% endif %}"

    prompt, answer = encode(make_tokenizer(chat_template=TURNS + opened), HELLO, ANSWER)

    assert prompt[-17:] == ids("assistant\n<think>")
    assert answer == [*ids("Yo"), END]


def test_such_an_answer_still_ends_as_the_template_ends_turns(
    make_tokenizer: MakeTokenizer,
) -> None:
    turns = "{% for m in messages %}{{ m.role }}:{{ m.content }}<|endoftext|>\n{% endfor %}"
    opened = "{% if add_generation_prompt %}assistant:<think>{% endif %}"
    tokenizer = make_tokenizer(chat_template=turns + opened)
    conversation = Conversation((HELLO,), (ANSWER,), ())

    _, [answer] = Encoder(tokenizer, [END_OF_TEXT]).conversation(conversation, "line 1")

    assert answer == [*ids("Yo"), END_OF_TEXT]


def test_an_answer_that_the_template_moves_is_refused(make_tokenizer: MakeTokenizer) -> None:
    backwards = "{% for m in messages | reverse %}{{ m.content }}{% endfor %}"

    with pytest.raises(BadRow, match="does not keep what stands before the last turn"):
        encode(make_tokenizer(chat_template=backwards), ANSWER, HELLO)


def test_what_the_template_says_of_a_row_is_told(make_tokenizer: MakeTokenizer) -> None:
    refusing = "{{ raise_exception('roles must alternate') }}"

    with pytest.raises(BadRow, match=r"line 1: the chat template refuses .*roles must alternate"):
        encode(make_tokenizer(chat_template=refusing), HELLO, ANSWER)


def test_without_a_template_an_answer_goes_on_from_the_prompt(
    make_tokenizer: MakeTokenizer,
) -> None:
    tokenizer = make_tokenizer(chat_template=None)

    assert encode(tokenizer, HELLO, ANSWER) == (ids("Hi"), [*ids("Yo"), END])


def test_without_a_template_there_are_no_conversations(make_tokenizer: MakeTokenizer) -> None:
    with pytest.raises(BadRow, match="conversations need a chat template"):
        encode(make_tokenizer(chat_template=None), HELLO, ANSWER, HELLO, ANSWER)


def test_text_stands_as_it_is_and_ends(tokenizer: Any) -> None:
    assert Encoder(tokenizer).text("Hi") == [*ids("Hi"), END]


def test_text_that_ends_by_itself_ends_once(tokenizer: Any) -> None:
    assert Encoder(tokenizer).text("Hi<|im_end|>") == [*ids("Hi"), END]
