"""The model's part in a coding agent's task: read a file, edit it, say so.

It is played from the prompt alone, as a model would: what tools there are, how far the newest task
has got, what was read. Nothing here knows which agent asks.
"""

import json
import re

CONTEXT = 200_000
"""In bytes, which are the tokens here; the largest first prompt of an agent has 80,000."""

TASK = re.compile(r"change the colour in it to (\w+)")
"""What marks a task in a prompt; its word is the colour to be."""

OBJECT = {"colour": "blue"}


def task(colour):
    return f"Read note.txt, then change the colour in it to {colour}. Say when it is done."


def answer(prompt, note):
    """Return what the model writes next. note: path of the file."""
    tasks = list(TASK.finditer(prompt))
    tools = offered(prompt)
    if "Which colour is the sky?" in prompt:
        return tell_colour(tools)
    if not tasks or not tools:
        return "There is nothing to do."
    colour, since = tasks[-1][1], prompt[tasks[-1].end() :]
    results = re.findall(r"^<tool>(.*?)(?=^<\w+>)", since, re.MULTILINE | re.DOTALL)
    if not results:
        return thought("I read the file first.") + "I look into it.\n" + call(read(tools, note))
    if len(results) == 1:
        old = re.search(r"colour = \w+", results[0])
        assert old is not None, f"the file was not read: {results[0][:200]}"
        edit = edit_line(tools, note, old[0], f"colour = {colour}")
        return thought("Now I change it.") + call(edit)
    return f"It is {colour} now."


def tell_colour(tools):
    """Answer as JSON; by a call where some client asks for objects in that way."""
    for name, arguments in tools.items():
        if set(arguments) == set(OBJECT):
            return call({"name": name, "arguments": OBJECT})
    return json.dumps(OBJECT)


def offered(prompt):
    """Return the schemas of the arguments of each tool that the prompt offers, by name."""
    line = prompt.partition("\n")[0]
    if not line.startswith("<tools>"):
        return {}
    functions = [tool["function"] for tool in json.loads(line.removeprefix("<tools>"))]
    return {f["name"]: f.get("parameters", {}).get("properties", {}) for f in functions}


def read(tools, note):
    for name in ("Read", "read"):
        if name in tools:
            [path] = {"file_path", "filepath", "path"} & set(tools[name])
            return {"name": name, "arguments": {path: str(note)}}
    return shell(tools, f"cat {note.name}")


def edit_line(tools, note, old, new):
    if "Edit" in tools:
        arguments = {"file_path": str(note), "old_string": old, "new_string": new}
        return {"name": "Edit", "arguments": arguments}
    if "edit" in tools:
        edits = [{"oldText": old, "newText": new}]
        return {"name": "edit", "arguments": {"path": str(note), "edits": edits}}
    if "apply_patch" in tools:
        [text] = tools["apply_patch"]
        patch = (
            f"*** Begin Patch\n*** Update File: {note.name}\n@@\n-{old}\n+{new}\n*** End Patch\n"
        )
        return {"name": "apply_patch", "arguments": {text: patch}}
    return shell(tools, f"sed -i 's/{old}/{new}/' {note.name}")


def shell(tools, command):
    for name, argument in (("exec_command", "cmd"), ("shell_command", "command")):
        if name in tools:
            return {"name": name, "arguments": {argument: command}}
    raise LookupError(f"no tool of {sorted(tools)} reads a file")


def thought(text):
    return f"<think>{text}</think>"


def call(called):
    return f"<tool_call>\n{json.dumps(called)}\n</tool_call>"
