"""Gated tools wait for the word of the user."""

from sessions.agent import approvals
from tests.plugins.chat import call, kinds, text_of, tool


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
