"""What a chat template makes of Anthropic's messages, from the route to the engine."""

import pytest

from inference.engine.scripted import ScriptedRunner
from tests.plugins.tiny_tokenizer import EOS

PLAIN = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"
CALLS = (
    "{% for m in messages %}<{{ m.role }}>{{ m.content + '' }}{% for c in m.tool_calls or [] %}"
    "[{{ c.function.name }}{% for k, v in c.function.arguments|items %} {{ k }}={{ v }}"
    "{% endfor %}]{% endfor %}{% endfor %}"
)
WEATHER = {
    "name": "w",
    "description": "weather",
    "input_schema": {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    },
}
USE = {"type": "tool_use", "id": "toolu_1", "name": "w", "input": {"city": "Oslo"}}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "5"}


class RememberingRunner(ScriptedRunner):
    """Has in its cache what it was asked before; `prompts` are those it was asked."""

    def __init__(self, script):
        super().__init__(script)
        self.prompts = []

    def begin(self, sequence):
        super().begin(sequence)
        prompt = list(sequence.prompt)
        known = max((shared(prompt, earlier) for earlier in self.prompts), default=0)
        self.prompts.append(prompt)
        return min(known, len(prompt) - 1)


def shared(one, other):
    pairs = zip(one, other, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


@pytest.fixture
def ask(load_tokenizer, make_service, serve, post):
    """Call with a template and bodies; returns what the engine was asked, as texts, and the
    usage of each answer."""

    async def ask_all(template, *bodies):
        tokenizer = load_tokenizer(template)
        [end] = tokenizer.encode(EOS, add_special_tokens=False)
        runner = RememberingRunner(lambda sequence: [end])
        serve(make_service(runner=runner, tokenizer=tokenizer, max_context=10_000))
        usages = []
        for body in bodies:
            reply = await post({"max_tokens": 2, **body})
            assert reply.status == 200, reply.body
            usages.append(reply.body["usage"])
        spell = tokenizer.piece
        texts = [
            b"".join(tokenizer.token_bytes[t] or spell(t).encode() for t in prompt).decode()
            for prompt in runner.prompts
        ]
        return texts, usages

    return ask_all


def user(content):
    return {"role": "user", "content": content}


def assistant(content):
    return {"role": "assistant", "content": content}


async def test_a_round_of_tools_comes_back_in_the_shape_that_clients_send(ask):
    """Public case an-08."""
    asked = {"tools": [WEATHER], "messages": [user("x"), assistant([USE]), user([RESULT])]}

    [text], _usages = await ask(CALLS, asked)

    assert text == "<user>x<assistant>[w city=Oslo]<tool>5"


async def test_thoughts_of_earlier_turns_do_not_come_back(ask):
    """Public case an-09."""
    earlier = [
        {"type": "thinking", "thinking": "SECRET-THOUGHT", "signature": "EqQBCgIYAhIM"},
        {"type": "redacted_thinking", "data": "AAAA"},
        {"type": "text", "text": "hello"},
    ]
    asked = {
        "thinking": {"type": "adaptive"},
        "messages": [user("x"), assistant(earlier), user("y")],
    }

    [text], _usages = await ask(PLAIN, asked)

    assert text == "<user>x<assistant>hello<user>y"


async def test_a_late_system_message_reaches_a_model_that_wants_it_first(ask):
    """Public case pr-06, on this route."""
    template = (
        "{% for m in messages %}{% if m.role == 'system' and not loop.first %}"
        "{{ raise_exception('System message must be at the beginning.') }}{% endif %}"
        "<{{ m.role }}>{{ m.content }}{% endfor %}"
    )
    reminder = {"role": "system", "content": "REMINDER"}
    asked = {
        "system": "A",
        "messages": [user("hi"), assistant("hello"), reminder, user("go on")],
    }

    [text], _usages = await ask(template, asked)

    assert text == "<system>A<user>hi<assistant>hello<user>REMINDER<user>go on"


async def test_a_prompt_has_one_start_token(ask):
    """Public case pr-13."""
    [text], _usages = await ask("{{ bos_token }}" + PLAIN, {"messages": [user("hi")]})

    assert text == "<s><user>hi"


def billed(line):
    stable = {
        "type": "text",
        "text": "STABLE PROMPT " * 200,
        "cache_control": {"type": "ephemeral"},
    }
    return {"system": [{"type": "text", "text": line}, stable], "messages": [user("hey")]}


async def test_the_billing_line_breaks_no_prefix(ask):
    """Public case an-04."""
    line = "x-anthropic-billing-header: cc_version=2.1.0; cc_entrypoint=cli; cch={};"

    texts, usages = await ask(PLAIN, billed(line.format("aaaaa")), billed(line.format("bbbbb")))

    assert texts[0] == texts[1]
    assert "billing" not in texts[0]
    whole = usages[0]["input_tokens"]
    assert "cache_read_input_tokens" not in usages[0]
    assert (usages[1]["input_tokens"], usages[1]["cache_read_input_tokens"]) == (1, whole - 1)


async def test_what_an_agent_changes_from_turn_to_turn_breaks_no_prefix(ask):
    """Marks for a cache move, metadata and ids of requests change: the tokens stay."""
    mark = {"cache_control": {"type": "ephemeral"}}
    first = {
        "metadata": {"user_id": "one"},
        "tools": [{**WEATHER, **mark}],
        "messages": [user([{"type": "text", "text": "x", **mark}])],
    }
    second = {
        "metadata": {"user_id": "two"},
        "tools": [WEATHER],
        "context_management": {"edits": []},
        "messages": [
            user([{"type": "text", "text": "x"}]),
            assistant([{"type": "thinking", "thinking": "", "signature": ""}, USE]),
            user([{**RESULT, **mark}]),
        ],
    }
    template = "{{ tools|tojson }}" + CALLS

    texts, usages = await ask(template, first, second)

    assert texts[1].startswith(texts[0])
    assert usages[1]["cache_read_input_tokens"] == usages[0]["input_tokens"]
