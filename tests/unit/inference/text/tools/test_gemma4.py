"""Gemma 4's objects: nesting, strings between special tokens, bare words."""

import pytest

from inference.text.tools.gemma4 import FORMAT

Q = '<|"|>'
TEXT = {"type": "string"}


def call(body):
    return f"<|tool_call>call:{body}<tool_call|>"


def test_brackets_within_strings_are_data(parse, schemas):
    """Public case tp-18."""
    tools = schemas(
        edit={
            "path": TEXT,
            "edits": {"type": "array"},
            "dry_run": {"type": "boolean"},
            "depth": {"type": "integer"},
        }
    )
    edits = f"[{{newText:{Q}orange{Q},oldText:{Q}apple{Q}}},{{newText:{Q}}}{Q},oldText:{Q},{Q}}}]"
    text = call(f"edit{{path:{Q}t.txt{Q},edits:{edits},dry_run:false,depth:2}}")

    answer = parse(FORMAT, text, tools)

    arguments = {
        "path": "t.txt",
        "edits": [{"newText": "orange", "oldText": "apple"}, {"newText": "}", "oldText": ","}],
        "dry_run": False,
        "depth": 2,
    }
    assert (answer.content, answer.calls) == (None, [("edit", arguments)])


@pytest.mark.parametrize(
    ("body", "arguments"),
    [
        ("w{}", {}),
        (f"w{{city:{Q}{Q}}}", {"city": ""}),
        (f"w{{ city : {Q} Oslo\n{Q} , days : 3 }}", {"city": " Oslo\n", "days": 3}),
        (f"w{{{Q}the city{Q}:{Q}Oslo{Q}}}", {"the city": "Oslo"}),
        ('w{city:"Oslo, Norway"}', {"city": "Oslo, Norway"}),
        ("w{city:Oslo}", {"city": "Oslo"}),
        ("w{city:10115}", {"city": "10115"}),
        ("w{x:10115,y:null,z:[a,1.5,[],{}]}", {"x": 10115, "y": None, "z": ["a", 1.5, [], {}]}),
        (f"w{{city:{Q}<tool_call|><|tool_call>{Q}}}", {"city": "<tool_call|><|tool_call>"}),
        (f"w{{city:{Q}Oslo{Q}days:3}}", {"city": "Oslo", "days": 3}),
        (f"w{{days:{Q}3{Q}}}", {"days": 3}),
    ],
)
def test_arguments_are_read(parse, schemas, body, arguments):
    tools = schemas(w={"city": TEXT, "days": {"type": "integer"}})

    answer = parse(FORMAT, call(body), tools)

    assert (answer.content, answer.calls) == (None, [("w", arguments)])


@pytest.mark.parametrize("name", ["create-pdf-file", "mcp.calendar:list_events"])
def test_names_may_have_dashes_dots_and_colons(parse, schemas, name):
    assert parse(FORMAT, call(f"{name}{{}}"), schemas(**{name: {}})).calls == [(name, {})]


def test_calls_may_follow_one_another(parse, schemas):
    text = call("a{}") + call("b{}") + "<|tool_call>call:a{}call:b{}<tool_call|>"

    answer = parse(FORMAT, text, schemas(a={}, b={}))

    assert (answer.content, answer.calls) == (None, [("a", {}), ("b", {})] * 2)


@pytest.mark.parametrize(
    ("cut", "arguments"),
    [
        (f"w{{city:{Q}Os", {"city": "Os"}),
        (f"w{{city:{Q}Oslo{Q},da", {"city": "Oslo"}),
        (f"w{{city:{Q}Oslo{Q},days:", {"city": "Oslo"}),
        (f"w{{z:[{Q}a{Q},{{b:1", {"z": ["a", {"b": 1}]}),
    ],
)
def test_a_call_that_the_limit_cut_off_is_completed(parse, schemas, cut, arguments):
    answer = parse(FORMAT, f"<|tool_call>call:{cut}", schemas(w={"city": TEXT}))

    assert (answer.content, answer.calls) == (None, [("w", arguments)])


@pytest.mark.parametrize(
    "text",
    [
        call("unknown{}"),
        call("w"),
        call("w{a}"),
        call("w{:1}"),
        call("w{a:[,]}"),
        call("w{a:1]}"),
        call("w{a:" + "[" * 200 + "]" * 200 + "}"),
        call("w{} and more"),
        "<|tool_call>",
    ],
)
def test_what_is_no_call_stays_in_the_text(parse, schemas, text):
    answer = parse(FORMAT, text, schemas(w={}))

    assert (answer.content, answer.calls) == (text, [])


def test_special_tokens_of_the_markup_are_to_be_shown():
    assert FORMAT.shows("<|tool_call>")
    assert FORMAT.shows("<tool_call|>")
    assert FORMAT.shows('<|"|>')
    assert not FORMAT.shows("<eos>")
