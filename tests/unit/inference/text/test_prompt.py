"""Prompts to token ids: one rendering path for all conversations."""

import pytest

from inference.errors import InvalidRequest
from inference.messages import Message, Role
from inference.request import ChatPrompt, TextPrompt
from inference.text.byte_tokenizer import ByteTokenizer
from inference.text.prompt import TokenizedPrompt, build_prompt


def user(text, **extra):
    return Message(Role.USER, text, extra=extra)


def built(prompt):
    return bytes(build_prompt(ByteTokenizer(), prompt).token_ids).decode()


class Template(ByteTokenizer):
    """Renders with a function given by the test, which sees messages and options."""

    def __init__(self, write):
        self.write = write

    def render(self, messages, options, *, tools=(), add_generation_prompt=True):
        return self.write(messages, options)


def test_a_conversation_ends_where_the_answer_begins():
    messages = (Message(Role.SYSTEM, "be kind"), user("hi"))

    assert built(ChatPrompt(messages)) == "<system>be kind\n<user>hi\n<assistant>"


def test_a_conversation_without_messages_is_left_to_the_template():
    assert built(ChatPrompt(())) == "<assistant>"


def test_text_is_taken_as_it_stands_and_all_of_it_is_stable():
    assert built(TextPrompt("<user>hi")) == "<user>hi"
    assert build_prompt(ByteTokenizer(), TextPrompt("hi")) == TokenizedPrompt([104, 105], 2)


def test_options_reach_the_template():
    shouting = Template(lambda messages, options: f"{messages[0]['content']}{options['end']}")

    prompt = build_prompt(shouting, ChatPrompt((user("hi"),), template_options={"end": "!"}))

    assert bytes(prompt.token_ids) == b"hi!"


def test_what_the_template_refuses_is_the_callers_error():
    def refuse(messages, options):
        raise ValueError("roles must alternate")

    with pytest.raises(InvalidRequest, match="prompt build failed: roles must alternate") as raised:
        build_prompt(Template(refuse), ChatPrompt((user("hi"),)))

    assert raised.value.param == "messages"


def test_a_prompt_without_tokens_is_refused():
    with pytest.raises(InvalidRequest, match="no tokens"):
        build_prompt(ByteTokenizer(), TextPrompt(""))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\ud83d", "a\ufffd"),
        ("\ud83db", "\ufffdb"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
        ("\ud83d\ude00", "😀"),
        ("\ufeff😀", "\ufeff😀"),
    ],
)
def test_lone_surrogates_wherever_they_come_from_become_replacement_characters(text, expected):
    # Public case pr-09.
    shouting = Template(lambda messages, options: f"{messages[0]['name']}|{options['tone']}")
    message = user("hi", name=text)

    chat = build_prompt(shouting, ChatPrompt((message,), template_options={"tone": text}))

    assert bytes(chat.token_ids).decode() == f"{expected}|{expected}"
    assert built(TextPrompt(text)) == expected
    assert built(ChatPrompt((user(text),))) == f"<user>{expected}\n<assistant>"


def test_the_stable_length_ends_before_what_the_next_turn_may_change():
    prompt = build_prompt(ByteTokenizer(), ChatPrompt((user("hi"),)))

    # The next turn has the answer after `<assistant>`, and the last token may merge with it.
    assert prompt.stable_length == len(prompt.token_ids) - 1


def test_a_stable_length_that_nobody_needs_costs_no_second_rendering():
    rendered = []

    def write(messages, options):
        rendered.append(messages)
        return "text"

    prompt = build_prompt(Template(write), ChatPrompt((user("hi"),)), find_stable=False)

    assert (prompt.stable_length, len(rendered)) == (4, 1)


def test_a_template_that_refuses_the_next_turn_leaves_the_whole_prompt_stable():
    def write(messages, options):
        if len(messages) > 1:
            raise ValueError("one question only")
        return "text"

    assert build_prompt(Template(write), ChatPrompt((user("hi"),))).stable_length == 4
