"""Thoughts and calls, from what a scripted model writes to the client and back."""

import json

import pytest

from inference.engine.scripted import ScriptedRunner
from inference.text.byte_tokenizer import END_OF_TURN

TOOL = {
    "name": "w",
    "description": "weather",
    "input_schema": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer", "default": 1}},
        "required": ["city"],
    },
}
CALL = '<tool_call>\n{"name": "w", "arguments": {"city": "Oslo"}}\n</tool_call>'
ASK = {"max_tokens": 200, "tools": [TOOL], "thinking": {"type": "enabled", "budget_tokens": 64}}
USER = {"role": "user", "content": "How is the weather?"}


@pytest.fixture
def prompts(make_service, serve):
    """Call with what the model writes; returns the list that its prompts are added to."""

    def serve_text(text):
        asked = []

        def script(sequence):
            asked.append(bytes(sequence.prompt).decode())
            return [*text.encode(), END_OF_TURN]

        serve(make_service(runner=ScriptedRunner(script), max_context=10_000))
        return asked

    return serve_text


async def test_an_answer_of_all_kinds_is_a_stream_of_blocks(prompts, post):
    """Public case an-03."""
    prompts(f"<think>hmm</think>Answer.\n{CALL}")

    reply = await post({**ASK, "messages": [USER], "stream": True})

    starts = [e["content_block"] for e in reply.events if "content_block" in e]
    assert [block["type"] for block in starts] == ["thinking", "text", "tool_use"]
    assert starts[-1]["input"] == {}
    deltas = [e["delta"] for e in reply.events if e["type"] == "content_block_delta"]
    assert "".join(delta.get("thinking", "") for delta in deltas) == "hmm"
    assert "".join(delta.get("text", "") for delta in deltas).strip() == "Answer."
    assert json.loads("".join(delta.get("partial_json", "") for delta in deltas)) == {
        "city": "Oslo"
    }
    assert reply.events[-2]["delta"]["stop_reason"] == "tool_use"


async def test_the_order_of_kinds_does_not_matter(prompts, post):
    """Public case an-03, the model's text as it is there."""
    prompts(f"---\n<think>hmm</think>Answer.\n{CALL}")

    reply = await post({**ASK, "messages": [USER], "stream": True})

    kinds = [e["content_block"]["type"] for e in reply.events if "content_block" in e]
    assert (kinds[0], kinds[-1]) == ("text", "tool_use")


async def test_a_whole_answer_has_the_same_blocks(prompts, post):
    prompts(f"<think>hmm</think>Answer.\n{CALL}")

    reply = await post({**ASK, "messages": [USER]})

    thoughts, text, call = reply.body["content"]
    assert thoughts == {"type": "thinking", "thinking": "hmm", "signature": "unsigned"}
    assert text["text"].strip() == "Answer."
    assert (call["name"], call["input"]) == ("w", {"city": "Oslo"})
    assert call["id"].startswith("toolu_")
    assert reply.body["stop_reason"] == "tool_use"


async def test_a_call_alone_comes_without_text(prompts, post):
    prompts(CALL)

    reply = await post({**ASK, "messages": [USER]})

    assert [block["type"] for block in reply.body["content"]] == ["tool_use"]


async def test_a_call_that_a_client_sends_back_changed_is_rendered_as_the_model_wrote_it(
    prompts, post
):
    """Claude Code puts defaults in, and puts them first."""
    asked = prompts(CALL)
    first = await post({**ASK, "messages": [USER]})
    call = first.body["content"][-1]
    result = {"type": "tool_result", "tool_use_id": call["id"], "content": "5"}
    rounds = [
        [USER, {"role": "assistant", "content": [sent]}, {"role": "user", "content": [result]}]
        for sent in (call, {**call, "input": {"days": 1, **call["input"]}})
    ]

    for messages in rounds:
        await post({**ASK, "messages": messages})

    assert asked[1] == asked[2]


@pytest.mark.parametrize("stream", [False, True])
async def test_the_stop_sequence_that_matched_is_told(prompts, post, stream):
    """Public case an-01, variants 1 and 2."""
    prompts("A B C STOP D")
    asked = {"max_tokens": 50, "stop_sequences": ["ZZZ", "STOP"], "messages": [USER]}

    reply = await post({**asked, "stream": stream})

    ending = reply.events[-2]["delta"] if stream else reply.body
    assert (ending["stop_reason"], ending["stop_sequence"]) == ("stop_sequence", "STOP")
