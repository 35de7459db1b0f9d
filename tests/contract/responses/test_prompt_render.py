"""What a chat template makes of items, from the route to the engine."""

import pytest

from inference.engine.scripted import ScriptedRunner
from tests.plugins.tiny_tokenizer import EOS

LOOP = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"


@pytest.fixture
def render(load_tokenizer, make_service, serve, post):
    """Call with a template and a body; returns what the engine was asked, as text."""

    async def render_body(template, body):
        tokenizer = load_tokenizer(template)
        prompts = []

        def script(sequence):
            specials = tokenizer.special_tokens
            prompts.append(
                b"".join(
                    specials[token].encode() if token in specials else tokenizer.token_bytes[token]
                    for token in sequence.prompt
                )
            )
            return [tokenizer.encode(EOS, add_special_tokens=False)[0]]

        serve(make_service(runner=ScriptedRunner(script), tokenizer=tokenizer))
        reply = await post(body)
        assert reply.status == 200, reply.body
        return prompts[0].decode()

    return render_body


def said(role, content):
    return {"role": role, "content": content}


async def test_a_prompt_has_one_start_token(render):
    """Public case pr-13."""
    assert await render("{{ bos_token }}" + LOOP, {"input": "hi"}) == "<s><user>hi"


async def test_a_late_developer_message_stays_behind_what_was_said_before(render):
    asked = [said("developer", "A"), said("user", "hi"), said("developer", "B"), said("user", "go")]

    text = await render(LOOP, {"input": asked, "instructions": "I"})

    assert text == "<system>I\n\nA<user>hi<system>B<user>go"


async def test_a_late_developer_message_reaches_a_model_that_wants_it_first(render):
    template = (
        "{% for m in messages %}{% if m.role == 'system' and not loop.first %}"
        "{{ raise_exception('System message must be at the beginning.') }}{% endif %}"
        "<{{ m.role }}>{{ m.content }}{% endfor %}"
    )
    asked = [
        said("user", "hi"),
        said("assistant", "hello"),
        said("developer", "B"),
        said("user", "go"),
    ]

    text = await render(template, {"input": asked, "instructions": "I"})

    assert text == "<system>I<user>hi<assistant>hello<user>B<user>go"


async def test_thoughts_reach_a_template_that_keeps_them(render):
    template = LOOP.replace("{{ m.content }}", "({{ m.reasoning_content }}){{ m.content }}")
    thoughts = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]}

    text = await render(template, {"input": [said("user", "hi"), thoughts, said("assistant", "a")]})

    assert text == "<user>()hi<assistant>(hm)a"
