"""The templates that ask a model: what they ask, and what they make of the answers."""

import json
from collections import Counter

import pytest

from jobs.dataset.errors import DatasetError, InvalidInput
from tests.plugins.model_server import said, told


def contents(row):
    return [turn["content"] for turn in row["messages"]]


def roles(row):
    return [turn["role"] for turn in row["messages"]]


def test_each_paragraph_is_rewritten_by_one_call(build, model_server):
    model_server.reply = lambda body: f"new {said(body)}"

    built = build("style_transfer", reference_samples="the style", raw_text="one\n\ntwo\nlines\n")

    assert built.rows == [
        {"prompt": "one", "completion": "new one"},
        {"prompt": "two\nlines", "completion": "new two\nlines"},
    ]
    assert all("the style" in told(body) for body in model_server.requests)


def test_seeds_are_expanded_and_answers_left_empty(build, model_server):
    model_server.reply = lambda body: json.dumps([f"{said(body)} {n}" for n in range(5)] + ["b"])

    built = build("self_instruct", seeds="a\nb", variants_per_seed=3)

    assert [contents(row) for row in built.rows] == [
        [f"{seed} {n}", ""] for seed in "ab" for n in range(3)
    ]
    form = model_server.requests[0]["response_format"]["json_schema"]["schema"]
    assert (form["type"], form["maxItems"]) == ("array", 3)


def test_tasks_that_are_there_already_are_left_out(build, model_server):
    model_server.reply = lambda body: '["A", "new", "NEW"]'

    built = build("self_instruct", seeds="a\nb")

    assert [contents(row)[0] for row in built.rows] == ["new"]
    assert built.summary["skipped"] == {"variants that were there already": 3}


def test_a_prompt_and_a_draft_lead_to_the_original(build, model_server):
    model_server.reply = lambda body: (
        "a draft" if "draft" in told(body) else f"asked for {said(body)[:3]}"
    )

    built = build(
        "prompt_reconstruction",
        target_text="One says 42.\n\nTwo",
        style="plain",
        preserve="42, says, absent",
        avoid="jargon",
    )

    first = built.rows[0]
    assert roles(first) == ["user", "assistant"]
    assert contents(first)[0].startswith("asked for One\nStyle: plain\nKeep unchanged: 42, says")
    assert contents(first)[0].endswith("Draft:\na draft")
    assert contents(first)[1] == "One says 42."
    assert first["metadata"] == {
        "prompt": "asked for One",
        "draft": "a draft",
        "style": "plain",
        "tone": "",
        "avoid": ["jargon"],
        "preservation_locks": ["42", "says"],
    }
    assert built.rows[1]["metadata"]["preservation_locks"] == []
    assert built.summary["calls"] == 4


@pytest.mark.parametrize(("turns", "expected"), [(2, 2), (3, 4), (4, 4), (7, 8)])
def test_a_conversation_alternates_and_ends_with_the_assistant(
    build, model_server, turns, expected
):
    model_server.reply = lambda body: "asked" if "play the user" in told(body) else "answered"

    [row] = build("multi_turn_chat", seeds="hello", turns=turns).rows

    assert roles(row) == ["user", "assistant"] * (expected // 2)
    assert contents(row) == ["hello", "answered", *["asked", "answered"] * (expected // 2 - 1)]


def test_personas_go_where_they_belong(build, model_server):
    [row] = build(
        "multi_turn_chat", seeds="hello", persona="You are kind.", user_persona="A child"
    ).rows

    assert row["messages"][0] == {"role": "system", "content": "You are kind."}
    players = Counter("A child" in told(body) for body in model_server.requests)
    assert players == {True: 1, False: 2}


TOOLS = '[{"name": "weather", "parameters": {"type": "object"}}]'


def test_a_call_is_answered_by_the_result_at_hand(build, model_server):
    call = {"id": "x", "type": "function", "function": {"name": "weather", "arguments": '{"c": 1}'}}

    def reply(body):
        last = body["messages"][-1]
        if last["role"] == "tool":
            return f"so it is {last['content']}"
        return {"content": "", "tool_calls": [call]}

    model_server.reply = reply
    built = build("tool_use_traces", tools_json=TOOLS, scenarios="s1\ns2", mock_results="sun\nrain")

    row = built.rows[1]
    assert roles(row) == ["user", "assistant", "tool", "assistant"]
    assert contents(row) == ["s2", "", "rain", "so it is rain"]
    function = row["messages"][1]["tool_calls"][0]["function"]
    assert function == {"name": "weather", "arguments": '{"c": 1}'}
    assert row["messages"][2]["tool_call_id"] == row["messages"][1]["tool_calls"][0]["id"]
    assert row["tools"][0]["function"]["name"] == "weather"
    assert all(body["tools"] == row["tools"] for body in model_server.requests)


def test_answers_that_call_nothing_are_left_out(build, model_server):
    with pytest.raises(DatasetError, match="1 answers that call none of the tools"):
        build("tool_use_traces", tools_json=TOOLS, scenarios="s", mock_results="r")


def test_each_scenario_needs_a_result(build):
    with pytest.raises(InvalidInput, match="mock_results has 1 lines and scenarios has 2"):
        build("tool_use_traces", tools_json=TOOLS, scenarios="a\nb", mock_results="r")


def test_questions_are_answered_from_their_passage(build, model_server):
    def reply(body):
        if "write questions" in told(body).casefold():
            return '["first?", "second?", "third?"]'
        return (400, {"error": "no"}) if said(body) == "first?" and "bbbb" in told(body) else "it"

    model_server.reply = reply
    documents = f"{'a' * 30}\n\n{'b' * 30}\n\n{'c' * 50}"
    built = build("rag_qa", documents=documents, min_chunk_chars=50, questions_per_chunk=2)

    assert [contents(row)[1:] for row in built.rows] == [
        ["second?", "it"],  # one call failed, the next did not
        ["first?", "it"],
        ["second?", "it"],
    ]
    assert [roles(row)[0] for row in built.rows] == ["system"] * 3
    assert f"{'a' * 30}\n\n{'b' * 30}" in contents(built.rows[0])[0]
    assert "c" * 50 in contents(built.rows[1])[0]


def test_documents_that_are_too_short_are_told(build, model_server):
    with pytest.raises(DatasetError, match="fewer than 200 characters: give more, or lower"):
        build("rag_qa", documents="short")


def test_thoughts_stand_before_the_answer(build, model_server):
    replies = {
        "a": {"content": "42", "reasoning": "long thoughts"},
        "b": "steps\n\nAnswer: 7",
        "c": "<think>x</think>y",
    }
    model_server.reply = lambda body: replies[said(body)]

    built = build("cot_synthesis", questions="a\nb\nc", category="sums")

    assert [contents(row)[1] for row in built.rows] == [
        "<think>\nlong thoughts\n</think>\n\n42",
        "<think>\nsteps\n</think>\n\n7",
        "<think>\nx\n</think>\n\ny",
    ]
    assert all(row["metadata"] == {"category": "sums"} for row in built.rows)
    assert all(body["chat_template_kwargs"]["enable_thinking"] for body in model_server.requests)


def test_a_program_is_run_and_its_row_says_how_it_went(build, model_server):
    replies = {
        "works": "Sure:\n```python\nprint('fine')\nassert 1\n```\nDone.",
        "fails": "```python\nassert 1 == 2, 'wrong'\n```",
    }
    model_server.reply = lambda body: replies[said(body)]

    works, fails = build("verified_code", specs="works\nfails").rows

    assert contents(works) == ["works", "```python\nprint('fine')\nassert 1\n```"]
    assert works["metadata"] == {"verified": True, "language": "python", "output": "fine"}
    assert fails["metadata"]["verified"] is False
    assert fails["metadata"]["problem"] == "AssertionError: wrong"


def test_programs_in_another_language_are_kept_unverified(build, model_server):
    model_server.reply = lambda body: "```rust\nfn main() {}\n```"

    built = build("verified_code", specs="x", language="Rust")

    assert built.rows[0]["metadata"] == {"verified": False, "language": "Rust"}
    assert "Rust is not run here, so no row of it will be verified" in built.log
