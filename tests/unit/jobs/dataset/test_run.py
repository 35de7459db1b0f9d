"""A whole run: what it leaves, what it tells, and that every template makes rows that train."""

import json

import pytest

from jobs.dataset.errors import DatasetError, ServerRefused
from jobs.dataset.registry import TEMPLATES
from jobs.finetune.data.formats import Format
from jobs.finetune.data.inspect import Inspection
from tests.plugins.model_server import said, told

TOOLS = '[{"name": "weather", "parameters": {"type": "object"}}]'
CALL = '{"name": "weather", "arguments": {"city": "x"}}'
CSV = "prompt,chosen,rejected\np,c,r\n"
INPUTS = {
    "sft_qa_pairs": {"pairs_text": "Q: a\nA: b"},
    "dpo_pref_pairs": {"csv_text": CSV},
    "format_conversion": {"input_jsonl": '{"input": "a", "output": "b"}'},
    "style_transfer": {"reference_samples": "s", "raw_text": "r"},
    "self_instruct": {"seeds": "one, two, three"},
    "prompt_reconstruction": {"target_text": "t"},
    "multi_turn_chat": {"seeds": "s"},
    "tool_use_traces": {"tools_json": TOOLS, "scenarios": CALL, "mock_results": "r"},
    "rag_qa": {"documents": "word " * 50},
    "cot_synthesis": {"questions": "q"},
    "verified_code": {"specs": "assert 1"},
}
FORMATS = {"prompt_completion": Format.PROMPT_COMPLETION}


@pytest.fixture
def inputs(tmp_path, fake_hub, hub_of, monkeypatch):
    """What each template is given."""
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "a.py").write_text("def f():\n    return 'long enough for a row'\n")
    fake_hub.add("datasets/owner/name", {"train.jsonl": b'{"text": "' + b"a" * 200 + b'"}\n'})
    more = {
        "code_completion": {"src_dir": str(tmp_path / "source")},
        "hf_dataset_import": {"hf_id": "owner/name"},
    }
    return INPUTS | more


@pytest.fixture
def hub_of(settings, fake_hub, tmp_path):
    from hub.config import HubConfig

    settings.HUB = HubConfig(tmp_path / "models", tmp_path / "hf", fake_hub.url)
    return settings.HUB


@pytest.mark.parametrize("template_id", TEMPLATES)
def test_every_template_makes_rows_that_a_trainer_knows(template_id, inputs, build, model_server):
    built = build(template_id, **inputs[template_id])

    expected = TEMPLATES[template_id].output_format
    found = built.inspect()
    assert found == Inspection(
        found.n_train, found.n_valid, FORMATS.get(expected, Format(expected.replace("_", "-"))), ""
    )
    assert found.n_train >= 1
    assert built.summary["n_train"] == found.n_train
    asked = bool(model_server.requests)
    assert asked is TEMPLATES[template_id].needs_llm


def test_the_last_stage_tells_where_the_rows_are_and_how_many(build, cache):
    built = build("sft_qa_pairs", pairs_text="\n\n".join(f"Q: {n}\nA: {n}" for n in range(20)))

    last = built.events[-1]
    assert last["type"] == "stage"
    assert last["progress"] == 1
    assert last["output_dir"] == str(built.folder)
    assert (last["n_train"], last["n_valid"]) == (18, 2)
    assert built.folder.parent == cache / "datasets"
    assert built.folder.name.startswith("dataset-sft_qa_pairs-")
    assert sorted(path.name for path in built.folder.iterdir()) == [
        "README.md", "train.jsonl", "valid.jsonl"
    ]  # fmt: skip


def test_progress_never_falls(build, model_server):
    built = build("cot_synthesis", questions="\n".join(map(str, range(9))))

    told = [event["progress"] for event in built.events if event["type"] == "stage"]
    assert told == sorted(told)
    assert told[0] == 0


def test_inputs_without_rows_are_an_error_that_says_why_and_leave_nothing(build, cache):
    with pytest.raises(DatasetError, match=r"no rows.*: 2 blocks without both Q: and A:"):
        build("sft_qa_pairs", pairs_text="nothing\n\nat all")

    assert list((cache / "datasets").iterdir()) == []


def test_a_call_that_fails_is_counted_and_logged_and_the_rest_goes_on(build, model_server):
    def reply(body):
        if said(body) == "bad":
            return 400, {"error": {"message": "prompt is too long"}}
        return "fine"

    model_server.reply = reply
    built = build("style_transfer", reference_samples="s", raw_text="one\n\nbad\n\ntwo")

    assert [row["prompt"] for row in built.rows] == ["one", "two"]
    assert (built.summary["calls"], built.summary["failed_calls"]) == (3, 1)
    assert any("prompt is too long" in line for line in built.log)
    assert "1 failed" in (built.folder / "README.md").read_text()


def test_when_all_calls_fail_the_job_does_and_says_so(build, model_server, cache):
    model_server.reply = lambda body: (400, {"error": {"message": "no"}})

    with pytest.raises(DatasetError, match="2 of 2 calls failed"):
        build("cot_synthesis", questions="a\nb")

    assert list((cache / "datasets").iterdir()) == []


def test_a_server_that_refuses_the_caller_ends_the_job_at_once(build, model_server):
    model_server.reply = lambda body: (401, {"error": {"message": "missing API key"}})

    with pytest.raises(ServerRefused, match="401: missing API key"):
        build("cot_synthesis", questions="\n".join(map(str, range(50))))

    assert len(model_server.requests) < 50


def test_more_pieces_than_anybody_waits_for_are_refused(build, model_server):
    with pytest.raises(DatasetError, match=r"hold 10,001 pieces.* 10,000 are allowed"):
        build("cot_synthesis", questions="q\n" * 10_001)

    assert model_server.requests == []


def test_a_server_that_is_gone_ends_the_job(build, model_server):
    model_server.stop()

    with pytest.raises(ServerRefused, match=r"cannot be reached.*start the server"):
        build("cot_synthesis", questions="a")


def test_the_key_goes_to_the_server_and_nowhere_else(build, model_server, settings):
    settings.API_KEYS = ("the-secret-key", "another")
    model_server.reply = lambda body: (
        (400, {"error": {"message": "no"}}) if "bad" in said(body) else "x"
    )

    built = build("cot_synthesis", questions="good\nbad")

    assert {headers["authorization"] for headers in model_server.headers} == {
        "Bearer the-secret-key"
    }
    left = "".join(path.read_text() for path in built.folder.iterdir())
    assert "the-secret-key" not in left + json.dumps(built.events) + json.dumps(built.summary)


def test_the_model_is_asked_by_the_name_that_was_given(build, model_server):
    build("cot_synthesis", model_name="owner/model", questions="q")
    build("cot_synthesis", questions="q")

    assert [body.get("model") for body in model_server.requests] == ["owner/model", None]


def test_names_of_no_field_are_told(build):
    built = build("sft_qa_pairs", pairs_text="Q: a\nA: b", colour="red")

    assert "colour means nothing here and was passed over" in built.log


def test_the_readme_says_how_the_rows_were_made(build, tmp_path):
    (tmp_path / "secret-place").mkdir()
    (tmp_path / "secret-place" / "a.py").write_text("def f():\n    return 'long enough for one'\n")

    built = build("code_completion", src_dir=str(tmp_path / "secret-place"), max_pairs=7)

    text = (built.folder / "README.md").read_text()
    assert "template `code_completion`" in text
    assert "| `max_pairs` | 7 |" in text
    assert "secret-place" not in text  # a path is its owner's affair
    assert "path: valid.jsonl" in text


def test_prompts_hold_no_examples_that_a_small_model_could_copy(build, model_server, inputs):
    for template_id in ("self_instruct", "rag_qa", "cot_synthesis", "verified_code"):
        build(template_id, **inputs[template_id])

    for body in model_server.requests:
        assert "e.g." not in told(body)
        assert "example" not in told(body).casefold()


def test_a_card_names_a_model_without_its_place_on_this_machine(build, model_server):
    model_server.reply = lambda body: "<think>a</think>b"

    built = build("cot_synthesis", model_name="/srv/models/mine", questions="q")

    card = (built.folder / "README.md").read_text()
    assert "a language model (mine)" in card
    assert "/srv" not in card
