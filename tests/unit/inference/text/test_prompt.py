"""Prompts to token ids: one rendering path for all conversations."""

import pytest

from inference.errors import InvalidRequest
from inference.messages import Message, Role
from inference.request import ChatPrompt, TextPrompt
from inference.text.byte_tokenizer import ByteTokenizer
from inference.text.prompt import build_prompt


def user(text, **extra):
    return Message(Role.USER, text, extra=extra)


def built(prompt):
    return bytes(build_prompt(ByteTokenizer(), prompt).token_ids).decode()


class Template(ByteTokenizer):
    """Renders with a function given by the test."""

    def __init__(self, render):
        self.render = render


def test_a_conversation_ends_where_the_answer_begins():
    messages = (Message(Role.SYSTEM, "be kind"), user("hi"))

    assert built(ChatPrompt(messages)) == "<system>be kind\n<user>hi\n<assistant>"


def test_text_is_taken_as_it_stands():
    assert built(TextPrompt("<user>hi")) == "<user>hi"


def test_further_fields_reach_the_template_but_never_replace_role_and_content():
    seen = []
    tokenizer = Template(lambda messages, options: str(seen.append((messages, options))))

    build_prompt(
        tokenizer, ChatPrompt((user("hi", name="ann", content="x"),), template_options={"enable_thinking": False})
    )

    assert seen == [
        ([{"role": "user", "content": "hi", "name": "ann"}], {"enable_thinking": False})
    ]


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
    shouting = Template(lambda messages, options: f"{messages[0]['name']}|{options['tone']}")
    message = user("hi", name=text)

    chat = build_prompt(shouting, ChatPrompt((message,), {"tone": text}))

    assert bytes(chat).decode() == f"{expected}|{expected}"
    assert built(TextPrompt(text)) == expected
    assert built(ChatPrompt((user(text),))) == f"<user>{expected}\n<assistant>"
