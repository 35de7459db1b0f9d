"""Ways that a conversation went: answered anew, gone back to, and taken out."""

from tests.plugins.chat import call, text_of, tool


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
