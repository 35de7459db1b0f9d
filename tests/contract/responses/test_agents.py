"""A coding agent, by the requests that it sends: Codex, with its whole history each time."""

from itertools import pairwise

SHELL = {
    "type": "function",
    "name": "exec_command",
    "description": "run",
    "strict": False,
    "parameters": {
        "type": "object",
        "properties": {"cmd": {"type": "string"}},
        "required": ["cmd"],
    },
}
SPAWN = {**SHELL, "name": "spawn_agent"}
PATCH = {
    "type": "custom",
    "name": "apply_patch",
    "description": "edit files",
    "format": {"type": "grammar", "syntax": "lark", "definition": "start: /x/"},
}
TOOLS = [
    SHELL,
    PATCH,
    {"type": "namespace", "name": "multi_agent_v1", "description": "d", "tools": [SPAWN]},
    {"type": "web_search", "external_web_access": False},
]
GENERATION = "<assistant>"


def message(role, *texts):
    parts = [{"type": "input_text", "text": text} for text in texts]
    return {"type": "message", "id": f"{role}_1", "role": role, "content": parts}


def request(items, **fields):
    return {
        "model": "local-model",
        "input": items,
        "tools": TOOLS,
        "tool_choice": "auto",
        "parallel_tool_calls": True,
        "reasoning": {"summary": "auto"},
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "prompt_cache_key": "thread",
        "client_metadata": {"a": "b"},
        "stream": True,
        **fields,
    }


OPENING = [
    message("developer", "You are an agent."),
    message("developer", "Rules.", " More rules."),
    message("user", "<environment>"),
    message("user", "make it blue"),
]
ROUNDS = [
    [
        {"type": "reasoning", "id": "rs_1", "summary": [], "content": None},
        {
            "type": "function_call",
            "id": "fc_1",
            "status": "completed",
            "call_id": "call_1",
            "name": "exec_command",
            "arguments": '{"cmd": "cat note.txt"}',
        },
        {"type": "function_call_output", "call_id": "call_1", "output": "red"},
    ],
    [
        {
            "type": "custom_tool_call",
            "id": "ctc_1",
            "status": "completed",
            "call_id": "call_2",
            "name": "apply_patch",
            "input": "*** Begin Patch",
        },
        {"type": "custom_tool_call_output", "call_id": "call_2", "output": "ok"},
    ],
    [
        {
            "type": "function_call",
            "id": "fc_2",
            "status": "completed",
            "call_id": "call_3",
            "name": "spawn_agent",
            "namespace": "multi_agent_v1",
            "arguments": "{not json",
        },
        {"type": "function_call_output", "call_id": "call_3", "output": "no"},
    ],
    [message("developer", "The rules are new."), message("user", "go on")],
]


async def test_every_prompt_of_a_conversation_begins_with_the_one_before(play, post):
    prompts = play()
    items = [*OPENING]
    for more in [[], *ROUNDS]:
        items += more
        assert (await post(request(items))).events[-1]["type"] == "response.completed"

    for before, after in pairwise(prompts):
        assert after.startswith(before.removesuffix(GENERATION))
    assert prompts[-1].count("<system>") == 2


async def test_calls_come_back_to_the_model_as_it_made_them(play, post):
    prompts = play()

    await post(request([*OPENING, *ROUNDS[0], *ROUNDS[1], *ROUNDS[2]]))

    calls = prompts[0].partition("make it blue")[2]
    assert '"name": "exec_command", "arguments": {"cmd": "cat note.txt"}' in calls
    assert '"name": "apply_patch", "arguments": {"input": "*** Begin Patch"}' in calls
    assert '"name": "multi_agent_v1__spawn_agent", "arguments": {"input": "{not json"}' in calls


async def test_what_differs_from_request_to_request_is_not_in_the_prompt(play, post):
    prompts = play()

    await post(request(OPENING, prompt_cache_key="one", client_metadata={"a": 1}))
    await post(request(OPENING, prompt_cache_key="two", client_metadata={"b": 2}))

    assert prompts[0] == prompts[1]


async def test_tools_may_come_among_the_items_only(play, post):
    prompts = play()
    tools = {"type": "additional_tools", "role": "developer", "tools": TOOLS}

    await post(request(OPENING))
    await post(request([tools, *OPENING], tools=None))

    assert prompts[0] == prompts[1]


async def test_a_summary_is_asked_for_without_tools(play, post):
    prompts = play()
    asked = [*OPENING, *ROUNDS[0], message("user", "Summarise.")]

    reply = await post(request(asked, tools=[], parallel_tool_calls=False))

    assert reply.events[-1]["type"] == "response.completed"
    assert "<tools>" not in prompts[0]
    assert reply.events[-1]["response"]["usage"]["total_tokens"] > 0
