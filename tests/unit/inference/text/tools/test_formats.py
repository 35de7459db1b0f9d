"""What holds of every format: calls come back as they went, and hostile text does no harm."""

import importlib
import json
import pkgutil
import random
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.text import tools as package
from inference.text.tools.base import Buffering, ParsedCall, Text
from inference.text.tools.parser import ToolCallParser, joined
from inference.text.tools.schema import ToolSchemas

MODULES = [module.name for module in pkgutil.iter_modules(package.__path__)]
FORMATS = {
    name: module.FORMAT
    for name in MODULES
    if hasattr(module := importlib.import_module(f"{package.__name__}.{name}"), "FORMAT")
}
MARK = "\N{FULLWIDTH VERTICAL LINE}DSML\N{FULLWIDTH VERTICAL LINE}"


def as_text(value):
    return value if isinstance(value, str) else json.dumps(value)


def envelope(name, arguments, key="arguments"):
    return json.dumps({"name": name, key: arguments}, ensure_ascii=len(name) % 2 == 0)


def tags(before, argument, after):
    def render(name, arguments):
        inner = "".join(
            argument.replace("KEY", key).replace("VALUE", as_text(value))
            for key, value in arguments.items()
        )
        return before.replace("NAME", name) + inner + after

    return render


def invoke(prefix, block):
    return tags(
        f'<{block}>\n<{prefix}invoke name="NAME">\n',
        f'<{prefix}parameter name="KEY">VALUE</{prefix}parameter>\n',
        f"</{prefix}invoke>\n</{block}>",
    )


def pairs(prefix):
    return tags(
        f"<{prefix}tool_call>NAME\n",
        f"<{prefix}arg_key>KEY</{prefix}arg_key>\n<{prefix}arg_value>VALUE</{prefix}arg_value>\n",
        f"</{prefix}tool_call>",
    )


def cdata(name, arguments):
    inner = ""
    for key, value in arguments.items():
        text = as_text(value).replace("]]>", "]]]]><![CDATA[>")
        inner += f'<param name="{key}"><![CDATA[{text}]]></param>'
    return f'<function name="{name}">{inner}</function>'


def objects(start, end, quote):
    def spell(value):
        match value:
            case str():
                return f"{quote}{value}{quote}"
            case list():
                return f"[{','.join(map(spell, value))}]"
            case dict():
                inner = (f"{spell(key)}:{spell(item)}" for key, item in value.items())
                return f"{{{','.join(inner)}}}"
            case _:
                return json.dumps(value)

    return lambda name, arguments: f"{start}call:{name}{spell(arguments)}{end}"


def python_call(name, arguments):
    inner = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
    return f"<|tool_call_start|>[{name}({inner})]<|tool_call_end|>"


RENDERERS = {
    "json_tags": lambda *call: f"<tool_call>\n{envelope(*call)}\n</tool_call>",
    "qwen_xml": tags(
        "<tool_call>\n<function=NAME>\n",
        "<parameter=KEY>\nVALUE\n</parameter>\n",
        "</function>\n</tool_call>",
    ),
    "glm": pairs(""),
    "longcat": pairs("longcat_"),
    "minicpm5": cdata,
    "minimax": invoke("", "minimax:tool_call"),
    "muse_spark": invoke("atem:", "atem:function_calls"),
    "deepseek": invoke(MARK, f"{MARK}function_calls"),
    "mistral": lambda name, arguments: f"[TOOL_CALLS]{name}[ARGS]{json.dumps(arguments)}",
    "llama": lambda *call: envelope(*call, key="parameters"),
    "kimi_k2": lambda name, arguments: (
        "<|tool_calls_section_begin|><|tool_call_begin|>"
        f"functions.{name}:0<|tool_call_argument_begin|>{json.dumps(arguments)}"
        "<|tool_call_end|><|tool_calls_section_end|>"
    ),
    "kimi_k3": tags(
        '<|open|>tools<|sep|>\n<|open|>call tool="NAME" index="0"<|sep|>\n',
        '<|open|>argument key="KEY"<|sep|>VALUE<|close|>argument<|sep|>\n',
        "<|close|>call<|sep|>\n<|close|>tools<|sep|>",
    ),
    "harmony": lambda name, arguments: (
        f"<|start|>assistant<|channel|>commentary to=functions.{name} <|constrain|>json"
        f"<|message|>{json.dumps(arguments)}<|call|>"
    ),
    "gemma4": objects("<|tool_call>", "<tool_call|>", '<|"|>'),
    "function_gemma": objects("<start_function_call>", "<end_function_call>", "<escape>"),
    "pythonic": python_call,
}

names = st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_-]{0,20}", fullmatch=True)
texts = st.text() | st.text("ab\n \t\"'\\<>{}[]&é,:=")
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)
# Key to schema and value: text where the schema says so, any other value elsewhere.
arguments = st.dictionaries(
    names,
    st.tuples(st.just({"type": "string"}), texts)
    | st.tuples(
        st.just({"type": ["object", "array", "number", "boolean", "null"]}),
        values.filter(lambda value: not isinstance(value, str)),
    ),
    max_size=4,
)


def tools_for(name, schemas):
    function = {"name": name, "parameters": {"type": "object", "properties": schemas}}
    return ToolSchemas([{"type": "function", "function": function}])


def parse(tool_format, pieces, tools):
    """Texts and calls, texts beside each other as one, so that other cuts give the same."""
    parser = ToolCallParser(tool_format, tools)
    events = [event for piece in pieces for event in parser.feed(piece)] + parser.finish()
    return joined(event for event in events if not isinstance(event, Buffering))


def test_every_format_is_tested():
    assert FORMATS.keys() == RENDERERS.keys()
    assert all(tool_format.name == name for name, tool_format in FORMATS.items())


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=50, deadline=None)
@given(function=names, given_arguments=arguments)
def test_a_call_comes_back_as_it_went(name, function, given_arguments):
    schemas = {key: schema for key, (schema, _value) in given_arguments.items()}
    expected = {key: value for key, (_schema, value) in given_arguments.items()}
    markup = RENDERERS[name](function, expected)

    events = parse(FORMATS[name], [markup], tools_for(function, schemas))

    assert events == [ParsedCall(function, expected, markup)]
    assert json.loads(events[0].arguments_json) == expected


TOOLS = tools_for("w", {"a": {"type": "string"}, "n": {"type": "integer"}, "o": {}})


def fragments(name):
    """Pieces of markup to make hostile text of: of the format, and of formats in general."""
    sample = RENDERERS[name]("w", {"a": "x", "n": 1, "o": {"k": ["v"]}})
    cut = [part for part in re.split(r"(<[^>]*>|[\[\]{}\"':,=\s])", sample) if part]
    starts = [opening.start for opening in FORMATS[name].openings]
    others = ["\\", "\n", " ", "é", "```json", "{", "<"]
    return [*cut, *starts, *FORMATS[name].markers, sample, *others]


@pytest.mark.parametrize("name", FORMATS)
def test_hostile_text_never_raises_loses_nothing_and_does_not_depend_on_the_cuts(name):
    generator = random.Random(name)
    parts = fragments(name)

    for number in range(700):
        text = "".join(generator.choices(parts, k=generator.randint(1, 14)))
        events = parse(FORMATS[name], [text], TOOLS)

        shown = "".join(e.text if isinstance(e, Text) else e.markup for e in events)
        calls = [event for event in events if isinstance(event, ParsedCall)]
        assert text.startswith(shown)
        assert not text[len(shown) :].strip() and (calls or shown == text)
        for call in calls:
            json.loads(call.arguments_json.encode())
        if number % 5 == 0:
            assert parse(FORMATS[name], list(text), TOOLS) == events


LONG = "def f(x):\n    return \"a\" + 'b'  # {[<&\\n]}\n" * 25_000
# Twenty times what a linear parser needs; one that looks back takes minutes.
LIMIT_SECONDS = 20


@pytest.mark.parametrize("name", FORMATS)
def test_a_long_argument_takes_linear_time(name):
    markup = RENDERERS[name]("w", {"a": LONG})
    pieces = [markup[i : i + 100] for i in range(0, len(markup), 100)]
    begin = time.process_time()

    events = parse(FORMATS[name], pieces, TOOLS)

    assert events == [ParsedCall("w", {"a": LONG}, markup)]
    assert time.process_time() - begin < LIMIT_SECONDS


@pytest.mark.parametrize("name", FORMATS)
def test_repeated_markup_takes_linear_time(name):
    sample = RENDERERS[name]("w", {"a": 'x"'})
    opening = FORMATS[name].openings[0].start
    units = (opening, opening + '{"', opening + "'", sample[: len(sample) * 2 // 3], sample[8:])
    begin = time.process_time()

    for unit in units:
        parse(FORMATS[name], [unit * (40_000 // len(unit))], TOOLS)

    assert time.process_time() - begin < LIMIT_SECONDS
