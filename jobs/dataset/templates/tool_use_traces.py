"""Conversations in which the model calls a tool and answers from its result."""

from collections.abc import AsyncIterator, Iterable
from typing import Any

from jobs.dataset.client import Answer, ServerClient
from jobs.dataset.errors import InvalidInput
from jobs.dataset.fields import Field, FieldType, Inputs
from jobs.dataset.parsing import json_text
from jobs.dataset.parsing.text import lines
from jobs.dataset.parsing.tools import Call, find_call, read_tools
from jobs.dataset.rows import Message, OutputFormat, Row, assistant, messages, system, user
from jobs.dataset.template import Template
from jobs.dataset.work import Work

CALL = """\
You answer with the help of tools. Call the tool that the request needs. If you cannot call tools, \
reply with a JSON object with the members "name" and "arguments" and nothing else."""


def build(inputs: Inputs, work: Work) -> Iterable[Row]:
    tools = read_tools(inputs.text("tools_json"))
    scenarios = list(enumerate(_scenarios(inputs), start=1))
    names = {tool["function"]["name"] for tool in tools}

    async def trace(unit: tuple[int, tuple[str, str]], client: ServerClient) -> AsyncIterator[Row]:
        number, (scenario, result) = unit
        asked = await client.ask(system(CALL), user(scenario), tools=tools)
        call = _called(asked, names)
        if call is None:
            work.skip("answers that call none of the tools")
            return
        turns = [user(scenario), *_round(call, f"call_{number}", result)]
        final = await client.ask(*turns, tools=tools)
        if not final.text:
            work.skip("results that were followed by another call")
            return
        yield messages(*turns, assistant(final.text), tools=tools)

    return work.ask_each(scenarios, trace)


def _called(answer: Answer, names: set[str]) -> Call | None:
    """The first call of a known tool, as the server read it or as the text spells it."""
    for name, arguments in answer.calls:
        if name in names:
            return find_call(json_text.dump({"name": name, "arguments": arguments}), names)
    return find_call(answer.text, names)


def _round(call: Call, call_id: str, result: str) -> list[Message]:
    function = {"name": call.name, "arguments": json_text.dump(call.arguments)}
    called = {"id": call_id, "type": "function", "function": function}
    return [
        {**assistant(""), "tool_calls": [called]},
        {"role": "tool", "tool_call_id": call_id, "name": call.name, "content": result},
    ]


def _scenarios(inputs: Inputs) -> list[tuple[str, str]]:
    scenarios, results = lines(inputs.text("scenarios")), lines(inputs.text("mock_results"))
    if len(scenarios) != len(results):
        raise InvalidInput(
            f"mock_results has {len(results):,} lines and scenarios has {len(scenarios):,}: write "
            "one result for each scenario, in the same order"
        )
    return list(zip(scenarios, results, strict=True))


def check(inputs: Inputs) -> list[Any]:
    return [read_tools(inputs.text("tools_json")), _scenarios(inputs)]


TEMPLATE = Template(
    id="tool_use_traces",
    label="Tool-use traces",
    description="Has your model call your tools. A result that you have made up answers each call, "
    "and the model goes on from it.",
    output_format=OutputFormat.MESSAGES,
    needs_llm=True,
    fields=(
        Field(
            name="tools_json",
            label="Tools",
            type=FieldType.TEXTAREA,
            hint="A JSON array of functions with name, description and parameters (a JSON Schema).",
            required=True,
        ),
        Field(
            name="scenarios",
            label="Requests",
            type=FieldType.TEXTAREA,
            hint="One a line, each something that takes one of the tools.",
            required=True,
        ),
        Field(
            name="mock_results",
            label="Results",
            type=FieldType.TEXTAREA,
            hint="What the tool returns, one line for each request, in the same order.",
            required=True,
        ),
    ),
    build=build,
    check=check,
)
