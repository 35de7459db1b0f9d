"""The chat over its WebSocket: prompts, tools, approvals, branches, and what goes wrong."""

import asyncio
import json

import pytest

from inference.engine.cache.namespaces import is_private
from sessions.agent import approvals, hygiene
from sessions.tools.base import ToolFailed, ToolResult
from tests.plugins.chat import call, kinds, text_of, tool


async def test_a_connection_is_greeted_with_the_model_and_what_is_allowed(chat):
    connection = await chat(greet=False)

    ready = await connection.next()
    assert ready["type"] == "ready"
    assert (ready["model"], ready["thinking"], ready["vision"]) == ("scripted", True, False)
    assert await connection.next() == {"type": "tool_approvals", "alwaysAllow": []}
    assert await connection.next() == {"type": "coding_tools", "active": False, "pending": False}


async def test_a_prompt_is_answered_piece_by_piece(chat, chat_store):
    connection = await chat(["<think>Hm.</think>Good morning"])

    frames = await connection.ask("Hello")

    assert kinds(frames) == [
        "sessions",
        *("siblings", "turn_start", "thinking_delta", "text_delta", "context", "turn_end"),
        "sessions",
    ]
    assert text_of(frames) == "Good morning"
    end = next(frame for frame in frames if frame["type"] == "turn_end")
    assert end["lane"] == "serial"
    assert end["usage"]["completion_tokens"] == len("<think>Hm.</think>Good morning") + 1
    assert frames[-1]["items"][0]["title"] == "Hello"
    assert frames[-1]["activePath"] == frames[-1]["items"][0]["path"]
    (file,) = chat_store.files()
    assert [entry.role for entry in file.read()[1:]] == ["user", "assistant"]


async def test_a_tool_that_only_looks_runs_without_asking(chat):
    connection = await chat([call("look", at="door"), "It is shut."], tools=[tool("look")])

    frames = await connection.ask("Is the door shut?")

    start = next(frame for frame in frames if frame["type"] == "tool_start")
    end = next(frame for frame in frames if frame["type"] == "tool_end")
    assert (start["tool"], start["args"]) == ("look", {"at": "door"})
    assert (end["ok"], end["result"]) == (True, 'look got {"at": "door"}')
    assert end["callId"] == start["callId"]
    assert text_of(frames) == "It is shut."
    assert "look got" in connection.prompts[1]


async def test_a_gated_tool_waits_for_the_user(chat):
    connection = await chat([call("change", x=1), "Done."], tools=[tool("change", gated=True)])
    await connection.send("prompt", text="Change it")
    request = await connection.until("tool_approval_request")

    await connection.send("approval", callId=request["callId"], decision="allow")

    assert (await connection.until("tool_end"))["result"] == 'change got {"x": 1}'
    await connection.until("turn_end")


async def test_a_denied_call_is_told_to_the_model(chat):
    connection = await chat(
        [call("change", x=1), "As you wish."], tools=[tool("change", gated=True)]
    )
    await connection.send("prompt", text="Change it")
    request = await connection.until("tool_approval_request")

    await connection.send("approval", callId=request["callId"], decision="deny")

    end = await connection.until("tool_end")
    assert (end["ok"], end["result"]) == (False, "Denied by user.")
    await connection.until("turn_end")
    assert "Denied by user." in connection.prompts[1]


async def test_arguments_that_the_user_put_right_replace_all_of_them(chat):
    connection = await chat([call("change", x=1, y=2), "Ok."], tools=[tool("change", gated=True)])
    await connection.send("prompt", text="Change it")
    request = await connection.until("tool_approval_request")

    await connection.send(
        "approval", callId=request["callId"], decision="allow", editedArgs={"x": 9}
    )

    assert (await connection.until("tool_start"))["args"] == {"x": 9}
    assert (await connection.until("tool_end"))["result"] == 'change got {"x": 9}'


async def test_a_tool_allowed_for_good_is_not_asked_about_again(chat, settings):
    tools = [tool("change", gated=True)]
    connection = await chat([call("change", n=1), "One.", call("change", n=2), "Two."], tools=tools)
    await connection.send("prompt", text="Change it")
    request = await connection.until("tool_approval_request")
    await connection.send("approval", callId=request["callId"], decision="allow", alwaysAllow=True)
    assert (await connection.until("tool_approvals"))["alwaysAllow"] == ["change"]
    await connection.until("sessions")

    frames = await connection.ask("Again")

    assert "tool_approval_request" not in kinds(frames)
    assert text_of(frames) == "Two."
    assert settings.TOOL_APPROVALS.allowed() == ["change"]


async def test_approvals_of_another_version_mean_that_the_user_is_asked(chat, settings):
    settings.TOOL_APPROVALS.path.write_text('{"version": 2, "allows": {"change": true}}')
    connection = await chat([call("change"), "Ok."], tools=[tool("change", gated=True)])

    await connection.send("prompt", text="Change it")

    assert (await connection.until("tool_approval_request"))["tool"] == "change"


async def test_a_question_that_nobody_answers_is_a_denial(chat, monkeypatch):
    monkeypatch.setattr(approvals.Approvals.__init__, "__kwdefaults__", {"patience": 0.05})
    connection = await chat([call("change"), "Ok."], tools=[tool("change", gated=True)])

    frames = await connection.ask("Change it")

    end = next(frame for frame in frames if frame["type"] == "tool_end")
    assert (end["ok"], end["result"]) == (False, approvals.UNANSWERED)


async def test_an_unknown_tool_is_asked_about_and_then_fails_helpfully(chat):
    connection = await chat([call("peek", at="door"), "Sorry."], tools=[tool("look")])
    await connection.send("prompt", text="hi")
    request = await connection.until("tool_approval_request")
    assert (request["tool"], request["args"]) == ("peek", {"at": "door"})

    await connection.send("approval", callId=request["callId"], decision="allow")

    end = await connection.until("tool_end")
    assert (end["ok"], end["result"]) == (False, "There is no tool 'peek'. There are: look")
    await connection.until("turn_end")
    assert text_of(connection.frames) == "Sorry."
    assert "There is no tool 'peek'" in connection.prompts[1]


async def test_a_tool_that_fails_tells_the_model_why(chat):
    async def fail(args, update):
        raise ToolFailed("no such door")

    connection = await chat([call("look"), "Sorry."], tools=[tool("look", fail)])

    frames = await connection.ask("Look")

    end = next(frame for frame in frames if frame["type"] == "tool_end")
    assert (end["ok"], end["result"]) == (False, "no such door")
    assert text_of(frames) == "Sorry."


async def test_a_tool_that_breaks_does_not_break_the_chat(chat, caplog):
    async def crash(args, update):
        raise RuntimeError("a bug")

    connection = await chat([call("look"), "Sorry."], tools=[tool("look", crash)])

    frames = await connection.ask("Look")

    assert text_of(frames) == "Sorry."
    assert "RuntimeError" in next(f["result"] for f in frames if f["type"] == "tool_end")
    assert "the tool look failed" in caplog.text


async def test_what_a_running_tool_prints_is_shown(chat):
    async def talk(args, update):
        await update("one ")
        await update("two")
        return ToolResult("done")

    connection = await chat([call("talk"), "Ok."], tools=[tool("talk", talk)])

    frames = await connection.ask("Talk")

    assert "".join(f["chunk"] for f in frames if f["type"] == "tool_update") == "one two"


async def test_stopping_ends_a_running_tool_and_keeps_what_was_said(chat, chat_store):
    started, ended = asyncio.Event(), asyncio.Event()

    async def hang(args, update):
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    connection = await chat(["Let me see. " + call("hang"), "never"], tools=[tool("hang", hang)])
    await connection.send("prompt", text="Hang")
    await asyncio.wait_for(started.wait(), 10)

    await connection.send("abort")

    end = await connection.until("tool_end")
    assert (end["ok"], end["result"]) == (False, "Aborted by user.")
    await connection.until("turn_end")
    assert ended.is_set()
    (file,) = chat_store.files()
    assert [e.role for e in file.read()[1:]] == ["user", "assistant", "toolResult"]


async def test_a_stopped_answer_is_kept_as_far_as_it_came(chat, chat_store, gate):
    from inference.engine.scripted import ScriptedRunner

    steps = []

    def hold(plan):
        steps.extend(plan.decodes)
        if len(steps) > 5:
            gate.hold(plan)

    runner = ScriptedRunner(lambda s: b"A long answer", on_step=hold)
    connection = await chat(["unused"], runner=runner)
    await connection.send("prompt", text="Talk")
    await connection.until("text_delta")

    await connection.send("abort")
    await connection.until("turn_end")

    (file,) = chat_store.files()
    last = file.read()[-1]
    assert last.message["stopReason"] == "aborted"
    assert "A long answer".startswith(last.message["content"][0]["text"])


async def test_a_prompt_sent_during_an_answer_waits_its_turn(chat):
    release = asyncio.Event()

    async def wait(args, update):
        await release.wait()
        return ToolResult("ok")

    connection = await chat([call("wait"), "First.", "Second."], tools=[tool("wait", wait)])
    await connection.send("prompt", text="One")
    await connection.until("tool_start")

    await connection.send("prompt", text="Two")

    queue = {"type": "queue_update", "steering": [], "followUp": ["Two"]}
    assert await connection.until("queue_update") == queue
    release.set()
    assert (await connection.until("queue_update"))["followUp"] == []
    connection.frames.clear()
    await connection.until("sessions")
    assert text_of(connection.frames) == "Second."


async def test_the_same_call_right_after_its_success_is_not_made_again(chat):
    runs = []

    async def count(args, update):
        runs.append(1)
        return ToolResult("forty-two")

    answers = [call("count", of="sheep"), call("count", of="sheep"), "42."]
    connection = await chat(answers, tools=[tool("count", count)])

    frames = await connection.ask("Count")

    second = [frame for frame in frames if frame["type"] == "tool_end"][1]
    assert len(runs) == 1
    assert not second["ok"]
    assert "forty-two" in second["result"]


async def test_after_three_equal_failures_the_model_is_told_to_try_otherwise(chat):
    async def fail(args, update):
        raise ToolFailed("locked")

    connection = await chat([*[call("open")] * 3, "I give up."], tools=[tool("open", fail)])

    frames = await connection.ask("Open")

    results = [frame["result"] for frame in frames if frame["type"] == "tool_end"]
    assert results[:2] == ["locked", "locked"]
    assert results[2].startswith("locked\n\nThis call has failed 3 times")


async def test_after_twenty_five_rounds_no_tool_is_offered_any_more(chat):
    answers = [*[call("look", n=n) for n in range(hygiene.MOST_TURNS)], "Enough."]
    connection = await chat(answers, tools=[tool("look")])

    frames = await connection.ask("Look around")

    ends = [frame["ok"] for frame in frames if frame["type"] == "tool_end"]
    assert ends == [True] * hygiene.MOST_TURNS
    assert text_of(frames) == "Enough."
    assert "<tools>" in connection.prompts[hygiene.MOST_TURNS - 1]
    assert "<tools>" not in connection.prompts[-1]


async def test_a_model_that_goes_on_calling_is_refused_and_then_stopped(chat):
    numbers = iter(range(100))
    connection = await chat(lambda prompt: call("look", n=next(numbers)), tools=[tool("look")])

    frames = await connection.ask("Look around")

    ends = [frame["ok"] for frame in frames if frame["type"] == "tool_end"]
    assert ends == [True] * hygiene.MOST_TURNS + [False] * 3
    assert hygiene.ENDLESS in [frame.get("message") for frame in frames]
    assert text_of(frames) == ""


async def test_regenerating_answers_the_same_words_on_another_branch(chat):
    connection = await chat(["One.", "Two."])
    await connection.ask("Say a number")

    connection.frames.clear()
    await connection.send("regenerate")
    await connection.until("sessions")

    siblings = next(f for f in connection.frames if f["type"] == "siblings")
    assert (siblings["index"], siblings["count"]) == (1, 2)
    assert text_of(connection.frames) == "Two."
    assert "One." not in connection.prompts[1]


async def test_going_back_to_a_branch_shows_it_and_goes_on_from_there(chat):
    connection = await chat(["One.", "Two.", "Three."])
    await connection.ask("first")
    await connection.send("edit_resend", text="second")
    first_id, _ = (await connection.until("siblings"))["siblingIds"]
    await connection.until("sessions")

    await connection.send("switch_sibling", entryId=first_id)

    items = (await connection.until("history"))["items"]
    assert [item.get("text") or item["parts"][0]["text"] for item in items] == ["first", "One."]
    await connection.ask("more")
    assert "One." in connection.prompts[2]
    assert "second" not in connection.prompts[2]


async def test_a_deleted_message_is_not_shown_to_the_model(chat):
    connection = await chat(["One.", "Two."])
    frames = await connection.ask("My name is Ada")
    path = frames[-1]["activePath"]
    await connection.send("open_session", path=path)
    items = (await connection.until("history"))["items"]

    await connection.send("delete_message", entryId=items[0]["entryId"])

    assert [item["role"] for item in (await connection.until("history"))["items"]] == ["assistant"]
    await connection.ask("Who am I?")
    assert "Ada" not in connection.prompts[1]


async def test_an_answer_is_deleted_whole_with_what_its_tools_said(chat):
    connection = await chat([call("look"), "It is shut.", "Sure."], tools=[tool("look")])
    frames = await connection.ask("Is the door shut?")
    end = next(frame for frame in frames if frame["type"] == "turn_end")

    await connection.send("delete_message", entryId=end["entryId"])

    items = (await connection.until("history"))["items"]
    assert [item["role"] for item in items] == ["user"]
    await connection.ask("Are you sure?")
    assert "look" not in connection.prompts[2].partition("<user>")[2]
    assert "shut." not in connection.prompts[2]


async def test_an_answer_that_was_stopped_can_be_deleted_too(chat):
    connection = await chat(["One. " * 200])
    await connection.send("prompt", text="Count")
    await connection.until("text_delta")
    await connection.send("abort")
    end = await connection.until("turn_end")

    await connection.send("delete_message", entryId=end["entryId"])
    items = (await connection.until("history"))["items"]
    assert [item["role"] for item in items] == ["user"]


async def test_a_turn_without_an_answer_names_none(chat):
    connection = await chat([])  # the model fails
    await connection.send("prompt", text="Hello")
    assert "entryId" not in await connection.until("turn_end")


async def test_a_temporary_chat_leaves_nothing_on_the_disk(chat, chat_store):
    connection = await chat(["Psst."])
    await connection.send("new_session", temporary=True)
    await connection.until("sessions")

    namespaces = []
    connection.watch(lambda sequence: namespaces.append(sequence.namespace))

    frames = await connection.ask("A secret")

    assert [is_private(namespace) for namespace in namespaces] == [True]
    assert text_of(frames) == "Psst."
    assert frames[-1] == {"type": "sessions", "items": []}
    assert chat_store.files() == []
    assert not chat_store.root.exists()


async def test_a_session_is_opened_again_after_the_connection_was_lost(chat):
    first = await chat(["One.", "Two."])
    path = (await first.ask("Remember this"))[-1]["activePath"]
    await first.close()

    again = await chat(["One.", "Two."])
    await again.send("open_session", path=path)

    items = (await again.until("history"))["items"]
    assert [item["role"] for item in items] == ["user", "assistant"]
    await again.ask("Go on")
    assert "Remember this" in again.prompts[1]


async def test_two_tabs_write_to_one_session_without_losing_anything(chat, chat_store):
    one, other = await chat(["Hi."]), await chat(["Hi."])
    path = (await one.ask("from one"))[-1]["activePath"]
    await other.send("open_session", path=path)
    await other.until("history")

    await other.ask("from the other")
    await one.ask("from one again")

    (file,) = chat_store.files()
    said = [e.message["content"] for e in file.read() if e.role == "user"]
    assert said == ["from one", "from the other", "from one again"]
    assert "from the other" in one.prompts[-1]


async def test_sessions_are_renamed_pinned_forked_and_deleted(chat):
    connection = await chat(["Hi."])
    path = (await connection.ask("one"))[-1]["activePath"]

    await connection.send("rename_session", path=path, name="A name")
    assert (await connection.until("sessions"))["items"][0]["title"] == "A name"
    await connection.send("pin_session", path=path, pinned=True)
    assert (await connection.until("sessions"))["items"][0]["pinned"] is True
    await connection.send("fork_session", path=path)
    forked = await connection.until("sessions")
    assert len(forked["items"]) == 2
    assert forked["activePath"] != path
    await connection.send("delete_session", path=forked["activePath"])
    left = await connection.until("sessions")
    assert [item["path"] for item in left["items"]] == [path]
    assert "activePath" not in left


@pytest.mark.parametrize("kind", ["open_session", "delete_session", "fork_session"])
@pytest.mark.parametrize("path", ["../keep.jsonl", "sub/../../x", "/etc/passwd", "", "a\0.jsonl"])
async def test_no_frame_leads_out_of_the_folder(chat, kind, path, tmp_path):
    """Public case se-04."""
    (tmp_path / "keep.jsonl").write_text("kept")
    connection = await chat()

    await connection.send(kind, path=path)

    error = await connection.until("error")
    assert error["message"] == "path must be under the session directory"
    assert (tmp_path / "keep.jsonl").read_text() == "kept"


async def test_what_is_no_frame_is_answered_and_the_socket_lives(chat):
    connection = await chat()

    for text in ["[]", '{"type":"shout"}', '{"type":"prompt"}', "{" * 5000, '"\\ud800"']:
        await connection.send_raw(text)
        assert (await connection.next())["type"] == "error"

    assert text_of(await connection.ask("Still there?")) == "Hello"


async def test_sampling_for_one_message_counts_for_one_message(chat, monkeypatch):
    connection = await chat(["One.", "Two."])
    seen = []
    from sessions.agent import run

    original = run.ask

    async def watch(request, answer, send):
        seen.append(request.sampling)
        await original(request, answer, send)

    monkeypatch.setattr(run, "ask", watch)
    await connection.send("set_sampling", temperature=0.5, top_k=40)
    await connection.send("set_sampling", scope="next_turn", temperature=1.5)

    await connection.ask("one")
    await connection.ask("two")

    assert [(s.temperature, s.top_k) for s in seen] == [(1.5, 40), (0.5, 40)]


async def test_instructions_stand_in_order_and_the_user_s_place_is_last(chat):
    connection = await chat(["Ok."])
    await connection.send("set_system_prompt", text="Answer in rhymes.")
    snapshot = {"route": "quantize", "capturedAt": "2026-01-01T00:00:00Z", "elements": []}
    step = {"index": 1, "count": 4, "label": "Configure"}
    context = {"route": "quantize", "step": step, "snapshot": snapshot}
    await connection.send("context", context=context)

    await connection.ask("hi")

    system = connection.prompts[0].partition("<user>")[0]
    places = [
        system.index(part)
        for part in ("scripted", "---\nAnswer in rhymes.", "[user is on: Quantize · step 2/4]")
    ]
    assert places == sorted(places)


async def test_a_schema_holds_the_answer_and_tools_are_not_offered(chat):
    connection = await chat(['{"a": 1}'], tools=[tool("look")])
    await connection.send("set_structured", schema={"type": "object"})

    frames = await connection.ask("Give me JSON")

    assert json.loads(text_of(frames)) is not None
    assert "<tools>" not in connection.prompts[0]


async def test_confidence_is_told_for_each_token_if_asked_for(chat):
    connection = await chat(["Hi."])
    await connection.send("set_logprobs", enabled=True)

    frames = await connection.ask("hi")

    scores = next(frame for frame in frames if frame["type"] == "logprobs")["tokens"]
    assert "".join(score["text"] for score in scores[:3]) == "Hi."
    assert all(score["logprob"] <= 0 for score in scores)


async def test_a_refused_request_ends_the_turn_with_an_error(chat):
    connection = await chat(["never"], max_context=50, context_window=50)

    await connection.send("prompt", text="x" * 500)

    error = await connection.until("error")
    assert "50" in error["message"]
    assert (await connection.next())["type"] == "turn_end"


async def test_a_long_conversation_is_put_in_short_before_the_window_is_full(chat, chat_store):
    answers = ["a" * 300, "b" * 300, "They talked.", "c"]
    connection = await chat(answers, tools=[], max_context=3000)
    await connection.ask("one " * 150)
    await connection.ask("two " * 150)
    connection.frames.clear()

    await connection.send("prompt", text="three " * 100)
    unknown = await connection.until("context")
    await connection.until("sessions")

    assert (unknown["tokens"], unknown["percent"]) == (None, None)
    (file,) = chat_store.files()
    seam = next(entry for entry in file.read() if entry.type == "compaction")
    assert seam.data["summary"] == "They talked."
    assert "They talked." in connection.prompts[-1]
    assert "one one" not in connection.prompts[-1]
    await connection.send("open_session", path=file.name)
    roles = [item["role"] for item in (await connection.until("history"))["items"]]
    assert "compaction" in roles


async def test_leaving_ends_the_answer(chat, gate):
    from inference import runtime
    from inference.engine.scripted import ScriptedRunner

    runner = ScriptedRunner(lambda s: b"endless", on_step=gate.hold)
    connection = await chat(["unused"], runner=runner)
    await connection.send("prompt", text="Talk")
    await connection.until("turn_start")

    gate.open()
    await connection.close()

    for _ in range(200):
        if runtime.get_service().num_under_way == 0:
            break
        await asyncio.sleep(0.01)
    assert runtime.get_service().num_under_way == 0


async def test_pictures_are_refused_by_a_model_that_sees_nothing(chat, chat_store):
    connection = await chat()

    await connection.send("prompt", text="see", images=[{"data": "AA", "mimeType": "image/png"}])

    assert "cannot see" in (await connection.until("error"))["message"]
    assert chat_store.files() == []
