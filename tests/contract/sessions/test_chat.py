"""The chat over its WebSocket: greeting, answers, and what is refused."""

import asyncio

from tests.plugins.chat import kinds, text_of


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


async def test_what_is_no_frame_is_answered_and_the_socket_lives(chat):
    connection = await chat()

    for text in ["[]", '{"type":"shout"}', '{"type":"prompt"}', "{" * 5000, '"\\ud800"']:
        await connection.send_raw(text)
        assert (await connection.next())["type"] == "error"

    assert text_of(await connection.ask("Still there?")) == "Hello"


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
