"""What a chat template makes of OpenAI's messages, from the route to the engine."""

import json

import pytest

from inference.engine.scripted import ScriptedRunner
from tests.plugins.tiny_tokenizer import EOS

PATH = "/v1/chat/completions"
CALLS = (
    "{% for m in messages %}<{{ m.role }}>{{ m.content + '' }}{% for c in m.tool_calls or [] %}"
    "[{{ c.function.name }}{% for k, v in c.function.arguments|items %} {{ k }}={{ v }}"
    "{% endfor %}]{% endfor %}{% endfor %}"
)
ADD = {
    "type": "function",
    "function": {
        "name": "add",
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "required": ["a", "b"],
        },
    },
}


@pytest.fixture
def render(load_tokenizer, make_service, serve, client):
    """Call with a template and a body; returns what the engine was asked, as text."""

    def render_body(template, raw):
        tokenizer = load_tokenizer(template)
        prompts = []

        def script(sequence):
            prompts.append(bytes(tokenizer.token_bytes[token][0] for token in sequence.prompt))
            return [tokenizer.encode(EOS, add_special_tokens=False)[0]]

        serve(make_service(runner=ScriptedRunner(script), tokenizer=tokenizer))
        response = client.post(PATH, raw, content_type="application/json")
        assert response.status_code == 200, response.content
        assert "tool_calls" not in response.json()["choices"][0]["message"]
        return prompts[0].decode()

    return render_body


def call(name, arguments):
    return [
        {"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}
    ]


def body(*messages, **fields):
    return {"messages": list(messages), "max_tokens": 4, **fields}


@pytest.mark.parametrize("content", [{"content": None}, {}, {"content": ""}])
def test_a_round_of_tools_comes_back_in_the_shape_that_clients_send(render, content):
    # Public case pr-01.
    asked = body(
        {"role": "user", "content": "2+3?"},
        {"role": "assistant", **content, "tool_calls": call("add", '{"a": 2, "b": 3}')},
        {"role": "tool", "tool_call_id": "call_1", "content": "5"},
        tools=[ADD],
    )

    assert render(CALLS, asked) == "<user>2+3?<assistant>[add a=2 b=3]<tool>5"


def test_arguments_are_decoded_for_the_template(render):
    # Public case pr-02.
    asked = body(
        {"role": "user", "content": "Look up Paris"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": call("lookup", '{"city": "Paris", "n": [1]}'),
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "ok"},
        {"role": "user", "content": "thanks"},
    )

    assert "[lookup city=Paris n=[1]]" in render(CALLS, asked)


def test_a_result_in_parts_is_its_text(render):
    # Public case pr-04.
    parts = [{"type": "text", "text": "alpha"}, {"type": "text", "text": "beta"}]
    asked = body(
        {"role": "user", "content": "x"},
        {"role": "assistant", "tool_calls": call("f", "{}")},
        {"role": "tool", "tool_call_id": "call_1", "content": parts},
    )

    assert render(CALLS, asked) == "<user>x<assistant>[f]<tool>alphabeta"


def test_a_late_system_message_reaches_a_model_that_wants_it_first(render):
    # Public case pr-06.
    template = (
        "{% for m in messages %}{% if m.role == 'system' and not loop.first %}"
        "{{ raise_exception('System message must be at the beginning.') }}{% endif %}"
        "<{{ m.role }}>{{ m.content }}{% endfor %}"
    )
    asked = body(
        {"role": "system", "content": "A"},
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "hello"},
        {"role": "system", "content": "REMINDER"},
        {"role": "user", "content": "go on"},
    )

    assert render(template, asked) == ("<system>A<user>hi<assistant>hello<user>REMINDER<user>go on")


def test_a_developer_is_a_system(render):
    # Public case pr-07.
    template = (
        "{% for m in messages %}{% if m.role == 'system' %}<system>{{ m.content }}"
        "{% elif m.role == 'user' %}<user>{{ m.content }}{% endif %}{% endfor %}"
    )
    asked = [
        body({"role": role, "content": "Only BANANA."}, {"role": "user", "content": "Capital?"})
        for role in ("developer", "system")
    ]

    assert [render(template, each) for each in asked] == ["<system>Only BANANA.<user>Capital?"] * 2


def test_a_lone_surrogate_is_answered_and_a_pair_is_a_character(render):
    # Public case pr-09.
    raw = '{"messages": [{"role": "user", "content": "%s"}], "max_tokens": 2}'

    assert render(CALLS, raw % r"emoji \ud83d") == "<user>emoji \ufffd"
    assert render(CALLS, raw % r"emoji \ud83d\ude00") == "<user>emoji 😀"


@pytest.mark.parametrize("tools", [{"tools": []}, {"tools": None}, {}])
def test_no_tools_is_none_however_it_is_said(render, tools):
    # Public case pr-10.
    template = (
        "{% if tools is not none and tools is defined %}TOOLS{% endif %}{{ messages[0].content }}"
    )

    asked = body({"role": "user", "content": "hi"}, tool_choice="auto", **tools)

    assert render(template, asked) == "hi"


def test_a_schema_reaches_the_template_unchanged(render):
    # Public case pr-15.
    parameters = {
        "type": "object",
        "properties": {
            "n": {"type": ["string", "null"]},
            "any": True,
            "r": {"$ref": "#/$defs/R"},
            "u": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        },
        "$defs": {"R": {"type": "object", "properties": {}}},
        "additionalProperties": False,
    }
    function = {"name": "a.b-c_1", "description": None, "strict": True, "parameters": parameters}
    tools = [
        {"type": "function", "function": function},
        {"type": "function", "function": {"name": "noparams"}},
    ]

    text = render("{{ tools|tojson }}", body({"role": "user", "content": "hi"}, tools=tools))

    assert json.loads(text) == tools


def test_what_a_template_refuses_is_a_400_with_its_words(
    load_tokenizer, make_service, serve, client
):
    template = "{{ raise_exception('no such luck') }}"
    serve(make_service(tokenizer=load_tokenizer(template)))

    response = client.post(
        PATH, body({"role": "user", "content": "hi"}), content_type="application/json"
    )

    assert response.status_code == 400
    assert response.json()["error"]["message"] == "prompt build failed: no such luck"


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
            "model has no vision sidecar",
        ),
        (
            {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
            "model scripted takes no audio content parts; send text",
        ),
        (
            {"type": "video", "data": "AAAA"},
            "model scripted takes no video content parts; send text",
        ),
        (
            {"type": "hologram", "x": 1},
            "messages[0].content[1].type is 'hologram', expected one of",
        ),
    ],
)
def test_more_than_text_is_refused_and_never_answered_as_if_it_were_not_there(
    make_service, serve, client, part, expected
):
    # Public case pa-11.
    serve(make_service())
    asked = body({"role": "user", "content": [{"type": "text", "text": "What is this?"}, part]})

    response = client.post(PATH, asked, content_type="application/json")

    assert response.status_code == 400
    assert response.json()["error"]["message"].startswith(expected)
