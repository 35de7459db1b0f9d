"""The tokenizer of a model folder: template, special tokens and stop tokens."""

import json
import logging

import pytest

from inference.errors import InvalidRequest
from inference.messages import Message, Role
from inference.request import ChatPrompt, TextPrompt
from inference.text.pretrained import PretrainedTokenizer
from inference.text.prompt import build_prompt
from tests.plugins.tiny_tokenizer import merging_tokenizer, spaced_tokenizer

TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"
    "{% if shout %}!{% endif %}"
)
BOS, EOS = 256, 257


def chat(text="hi", **options):
    return ChatPrompt((Message(Role.USER, text),), template_options=options)


def text_of(tokenizer, tokens):
    return b"".join(tokenizer.token_bytes[token] for token in tokens).decode()


def test_a_conversation_has_one_start_token(load_tokenizer):
    # Public case pr-13: the template writes it, and the tokenizer would add a second.
    tokenizer = load_tokenizer(TEMPLATE)

    tokens = build_prompt(tokenizer, chat()).token_ids

    assert (tokens[0], tokens.count(BOS)) == (BOS, 1)
    assert text_of(tokenizer, tokens) == "<user>hi"


def test_a_text_has_what_the_tokenizer_adds_by_default(load_tokenizer):
    # Public case pr-13, on the route without a template.
    assert build_prompt(load_tokenizer(TEMPLATE), TextPrompt("hi")).token_ids.count(BOS) == 1


def test_a_template_option_reaches_the_template(load_tokenizer):
    tokenizer = load_tokenizer(TEMPLATE)

    assert text_of(tokenizer, build_prompt(tokenizer, chat(shout=True)).token_ids) == "<user>hi!"


@pytest.mark.parametrize(
    "name",
    [
        "tokenize",
        "chat_template",
        "add_generation_prompt",
        "continue_final_message",
        "return_tensors",
        "truncation",
        "max_length",
        "conversation",
        "messages",
        "tools",
        "self",
        "tokenizer_kwargs",
    ],
)
def test_options_that_would_steer_the_renderer_are_refused(load_tokenizer, name):
    with pytest.raises(InvalidRequest, match=name):
        build_prompt(load_tokenizer(TEMPLATE), chat(**{name: 1}))


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{{ raise_exception('roles must alternate') }}", "roles must alternate"),
        ("{{ messages[9].content.x }}", "no element 9"),
        ("{% if %}", "prompt build failed"),
        ("{{ 1 // 0 }}", "zero"),
    ],
)
def test_a_template_that_fails_is_the_callers_error(load_tokenizer, template, message):
    with pytest.raises(InvalidRequest, match=message):
        build_prompt(load_tokenizer(template), chat())


def test_a_model_without_a_template_takes_no_conversation(load_tokenizer):
    with pytest.raises(InvalidRequest, match="no chat template"):
        build_prompt(load_tokenizer(None), chat())


def test_a_lone_surrogate_becomes_a_replacement_character(load_tokenizer):
    # Public case pr-09.
    tokenizer = load_tokenizer(TEMPLATE)

    assert text_of(tokenizer, build_prompt(tokenizer, chat("a\ud83d")).token_ids) == "<user>a\ufffd"


@pytest.mark.parametrize("tools", [(), ({"type": "function", "function": {"name": "f"}},)])
def test_a_template_is_told_of_no_tools_as_none(load_tokenizer, tools):
    # Public case pr-10.
    template = (
        "{% if tools is not none and tools is defined %}TOOLS{% endif %}{{ messages[0].content }}"
    )
    tokenizer = load_tokenizer(template)

    text = tokenizer.render([{"role": "user", "content": "hi"}], {}, tools=tools)

    assert text == ("TOOLShi" if tools else "hi")


def test_tools_reach_the_template_unchanged(load_tokenizer):
    # Public case pr-15.
    properties = {
        "n": {"type": ["string", "null"]},
        "any": True,
        "r": {"$ref": "#/$defs/R"},
        "u": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
    }
    parameters = {
        "type": "object",
        "properties": properties,
        "$defs": {"R": {"type": "object", "properties": {}}},
        "additionalProperties": False,
    }
    function = {"name": "a.b-c_1", "description": None, "strict": True, "parameters": parameters}
    tools = (
        {"type": "function", "function": function},
        {"type": "function", "function": {"name": "noparams"}},
    )
    tokenizer = load_tokenizer("{{ tools|tojson }}{{ messages[0].content }}")

    prompt = build_prompt(tokenizer, ChatPrompt((Message(Role.USER, ""),), tools=tools))

    assert json.loads(text_of(tokenizer, prompt.token_ids)) == list(tools)


def test_every_piece_is_tokenised_on_its_own_and_no_token_is_added(load_tokenizer):
    tokenizer = load_tokenizer(TEMPLATE, merging_tokenizer)

    whole = tokenizer.encode_pieces(["</s> hello\n\nthere"])
    cut = tokenizer.encode_pieces(["<", "/s> hel", "lo\n", "\nthere"])

    assert [text_of(tokenizer, each.token_ids) for each in (whole, cut)] == [
        " hello\n\nthere",
        "</s> hello\n\nthere",
    ]
    assert whole.token_ids[0] == tokenizer.encode("</s>", add_special_tokens=False)[0]
    assert (whole.ends[-1], cut.ends[-1], cut.ends[0]) == (17, 17, 1)
    assert cut.ends == sorted(cut.ends)


def test_a_space_is_written_before_the_text_and_before_no_later_piece(load_tokenizer):
    tokenizer = load_tokenizer(TEMPLATE, spaced_tokenizer)

    encoded = tokenizer.encode_pieces(["hello <", "user", "> "])

    assert tokenizer.strips_leading_space
    assert text_of(tokenizer, encoded.token_ids) == " hello <user> "
    assert encoded.ends[-1] == len("hello <user> ")


def test_a_long_prompt_is_no_reason_to_warn(load_tokenizer, caplog, monkeypatch):
    monkeypatch.setattr(logging.getLogger("transformers"), "propagate", True)
    tokenizer = load_tokenizer(TEMPLATE)
    tokenizer._tokenizer.model_max_length = 4

    build_prompt(tokenizer, chat("long enough"))
    build_prompt(tokenizer, TextPrompt("long enough"))

    assert caplog.records == []


def test_the_special_tokens_are_known_by_their_spelling(load_tokenizer):
    tokenizer = load_tokenizer(TEMPLATE, specials=["<|im_end|>"])

    assert tokenizer.special_tokens == {BOS: "<s>", EOS: "</s>", 258: "<|im_end|>"}


@pytest.mark.parametrize(
    ("config", "generation", "expected"),
    [
        ({}, {}, {EOS}),
        ({"eos_token_id": 5}, {"eos_token_id": None}, {EOS, 5}),
        ({"eos_token_id": [5, 6]}, {"eos_token_id": [7]}, {EOS, 5, 6, 7}),
    ],
)
def test_every_file_may_name_stop_tokens(load_tokenizer, config, generation, expected):
    tokenizer = load_tokenizer(TEMPLATE, config=config, generation=generation)

    assert tokenizer.stop_token_ids == expected


@pytest.mark.starter
def test_the_starter_models_conversation_ends_where_its_answer_begins(starter_model):
    tokenizer = PretrainedTokenizer(starter_model, {}, {})

    tokens = build_prompt(tokenizer, chat("What is the capital of France?")).token_ids

    assert text_of(tokenizer, tokens).endswith("user\nWhat is the capital of France?\nassistant\n")
    assert len(tokenizer.stop_token_ids) == 1
