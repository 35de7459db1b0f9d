"""The web app in Chromium against the real server: what a person does with it."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.plugins.web_app import KEEP_SOCKETS, tool_call

pytestmark = [pytest.mark.slow, pytest.mark.browser]


@pytest.fixture
def app(open_app):
    return open_app().open()


def with_tools(app):
    """Let the agent touch files; the page is opened anew, as another day."""
    app.page.get_by_role("button", name="Settings").click()
    app.page.get_by_role("switch", name="Let the assistant touch files").check()
    app.page.keyboard.press("Escape")
    app.page.reload()
    app.page.get_by_role("button", name="Settings").click()
    expect(app.page.get_by_text("This chat has these tools.")).to_be_visible()
    app.page.keyboard.press("Escape")
    return app


def test_an_answer_streams_and_tells_how_it_came(app):
    app.say("Hello **there**, `x` and $e^x$")

    answer = app.answers.last
    expect(answer.locator("strong")).to_have_text("there")
    expect(answer.locator(".katex")).to_be_visible()
    expect(answer.get_by_text(re.compile(r"\d+ tokens"))).to_be_visible()
    expect(app.page.get_by_text(re.compile(r"context .* / 8k"))).to_be_visible()
    expect(
        app.page.get_by_role("list", name="Chats").get_by_text("Hello **there**")
    ).to_be_visible()


def test_an_answer_is_stopped(app):
    app.say("long " * 800)
    app.page.get_by_role("button", name="Stop").click()

    expect(app.page.get_by_role("button", name="Send")).to_be_visible()
    app.say("and now?")
    expect(app.answers.last).to_contain_text("You said: and now?")


def test_a_message_sent_meanwhile_waits_its_turn(app):
    app.say("long " * 300)
    app.say("the next one")

    expect(app.page.get_by_label("Waiting messages")).to_contain_text("the next one")
    expect(app.answers.last).to_contain_text("You said: the next one", timeout=30_000)
    expect(app.page.get_by_label("Waiting messages")).to_have_count(0)


def test_a_stop_drops_what_waits(app):
    app.say("long " * 800)
    expect(app.page.get_by_role("button", name="Stop")).to_be_visible()
    app.say("the next one")
    expect(app.page.get_by_label("Waiting messages")).to_contain_text("the next one")

    app.page.get_by_role("button", name="Stop").click()

    expect(app.page.get_by_role("button", name="Send")).to_be_visible()
    app.say("and now?")
    expect(app.answers.last).to_contain_text("You said: and now?")
    questions = app.page.get_by_role("article", name="You").all_inner_texts()
    assert [text.split()[0] for text in questions] == ["long", "and"]


def test_a_message_is_put_in_other_words_and_both_ways_stay(app):
    app.say("first words")
    expect(app.answers.last).to_contain_text("You said: first words")
    app.page.get_by_role("button", name="Edit").click()
    box = app.page.get_by_role("textbox", name="Edit your message")
    box.fill("other words")
    box.press("Enter")
    expect(app.answers.last).to_contain_text("You said: other words")

    app.page.get_by_role("button", name="Previous version").click()

    expect(app.answers.last).to_contain_text("You said: first words")
    expect(app.page.get_by_text("1/2")).to_be_visible()


def test_an_answer_is_generated_again(app):
    app.say("again")
    expect(app.answers.last).to_contain_text("You said: again")

    app.page.get_by_role("button", name="Regenerate").click()

    expect(app.page.get_by_text("2/2")).to_be_visible()
    expect(app.answers).to_have_count(1)


def test_an_answer_and_then_its_question_are_deleted(app):
    for text in ("first", "second"):
        app.say(text)
        expect(app.answers.last).to_contain_text(f"You said: {text}")
    questions = app.page.get_by_role("article", name="You")

    app.answers.first.get_by_role("button", name="Delete").click()
    expect(app.answers).to_have_count(1)
    expect(app.answers.last).to_contain_text("second")
    questions.first.hover()
    questions.first.get_by_role("button", name="Delete").click()

    expect(questions).to_have_count(1)
    expect(questions.last).to_contain_text("second")


def test_a_tool_is_allowed_and_does_its_work(app, app_server):
    with_tools(app).say(tool_call("write", path="note.txt", content="written by a tool\n"))

    card = app.page.get_by_label("Approval for write")
    expect(card.get_by_label("Changes")).to_contain_text("+ written by a tool")
    card.get_by_role("button", name="Allow").click()

    expect(app.answers.last).to_contain_text("The tool said")
    note = app_server.folder / "workspace" / "note.txt"
    assert note.read_text() == "written by a tool\n"
    expect(app.page.get_by_text("1 file changed")).to_be_visible()


def test_a_denied_tool_does_nothing(app, app_server):
    with_tools(app).say(tool_call("write", path="no.txt", content="x"))

    app.page.get_by_label("Approval for write").get_by_role("button", name="Deny").click()

    expect(app.answers.last).to_contain_text("Denied by user.")
    assert not (app_server.folder / "workspace" / "no.txt").exists()


def test_arguments_are_put_right_before_they_count(app, app_server):
    with_tools(app).say(tool_call("bash", command="false"))

    card = app.page.get_by_label("Approval for bash")
    card.get_by_label("Arguments").fill(json.dumps({"command": "echo edited"}))
    card.get_by_role("button", name="Allow").click()

    expect(app.answers.last).to_contain_text(re.compile(r"The tool said: .*\bedited\b", re.DOTALL))
    expect(app.page.get_by_text("(edited)")).to_be_visible()


def test_the_palette_finds_and_runs_commands(app):
    app.search_palette("devpag")
    app.page.keyboard.press("Enter")

    expect(app.page.get_by_role("link", name="Status")).to_be_visible()
    app.page.keyboard.press("Control+/")
    expect(app.page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    app.page.keyboard.press("Escape")
    expect(app.page.get_by_role("dialog")).to_have_count(0)


def test_words_are_found_in_earlier_chats(app):
    app.say("the unusual word quixotry")
    expect(app.answers.last).to_contain_text("quixotry")
    app.page.get_by_role("button", name="New chat").click()

    app.page.get_by_role("searchbox", name="Search chats").fill("quixotry")

    hit = app.page.get_by_label("In messages")
    expect(hit.locator("mark").first).to_have_text("quixotry")
    hit.get_by_role("button").first.click()
    expect(app.answers.last).to_contain_text("quixotry")


def test_the_palette_finds_what_was_said(app):
    app.say("the rare word sesquipedalian")
    expect(app.answers.last).to_contain_text("sesquipedalian")
    app.page.get_by_role("button", name="New chat").click()

    app.search_palette("sesquipedalian")
    app.page.get_by_role("option", name=re.compile("sesquipedalian")).last.click()

    expect(app.answers.last).to_contain_text("sesquipedalian")


def test_on_paper_stands_the_chat_alone(app):
    app.say("for the printer")
    expect(app.answers.last).to_contain_text("for the printer")

    app.page.emulate_media(media="print")

    expect(app.answers.last).to_be_visible()
    for name in ("New chat", "Settings", "Send"):
        expect(app.page.get_by_role("button", name=name)).to_be_hidden()


def test_a_page_at_twice_its_size_is_still_used(open_app):
    app = open_app(640)
    app.page.set_viewport_size({"width": 640, "height": 400})
    app.open()
    app.say("large")

    expect(app.answers.last).to_contain_text("large")
    expect(app.page.get_by_role("button", name="Send")).to_be_in_viewport()
    assert app.page.evaluate("document.documentElement.scrollWidth") == 640


def test_a_chat_is_exported(app):
    app.say("export me")
    expect(app.answers.last).to_contain_text("export me")
    row = app.page.get_by_role("list", name="Chats").get_by_role("listitem").first
    row.hover()
    row.get_by_role("button", name=re.compile("Actions for")).click()

    with app.page.expect_download() as download:
        row.get_by_role("button", name="Markdown").click()

    text = download.value.path().read_text()
    assert text.startswith("## You\n\nexport me\n")
    assert "## Assistant\n\nThis is the scripted model." in text


def test_instructions_are_kept_as_a_preset(app):
    app.page.get_by_role("button", name="Instructions").click()
    box = app.page.get_by_label("Instructions for every answer")
    box.fill("Answer in rhymes.")
    app.page.get_by_label("Name of a preset").fill("Poet")
    app.page.get_by_role("button", name="Save").click()
    app.page.get_by_role("button", name="Clear").click()

    app.page.get_by_role("button", name="Poet", exact=True).click()

    expect(app.page.get_by_label("Instructions for every answer")).to_have_value(
        "Answer in rhymes."
    )


def test_sampling_for_the_next_message_is_spent_by_it(app):
    app.page.get_by_role("button", name="Sampling").click()
    app.page.get_by_label("Apply to").select_option("next_turn")
    app.page.get_by_role("slider", name="Temperature").fill("1.5")
    app.page.keyboard.press("Escape")
    expect(app.page.get_by_text("next msg only")).to_be_visible()

    app.say("once")

    expect(app.answers.last).to_contain_text("once")
    expect(app.page.get_by_text("next msg only")).to_have_count(0)


def test_a_temporary_chat_leaves_no_trace(app):
    app.search_palette("temporary")
    app.page.keyboard.press("Enter")
    expect(app.page.get_by_text("temporary, not saved")).to_be_visible()

    app.say("a passing thought")

    expect(app.answers.last).to_contain_text("a passing thought")
    expect(app.page.get_by_role("list", name="Chats").get_by_text("a passing")).to_have_count(0)


def test_a_temporary_chat_stays_one_after_a_lost_connection(open_app, app_server):
    app = open_app()
    app.page.add_init_script(KEEP_SOCKETS)
    app.open()
    app.page.get_by_role("button", name="New temporary chat").click()
    app.say("a first secret")
    expect(app.answers.last).to_contain_text("a first secret")

    app.page.evaluate("window.sockets.at(-1).close()")
    expect(app.page.get_by_text("the temporary chat with it")).to_be_visible()
    app.say("a second secret")

    expect(app.answers.last).to_contain_text("a second secret")
    expect(app.page.get_by_text("temporary, not saved")).to_be_visible()
    expect(app.page.get_by_role("list", name="Chats").get_by_text("secret")).to_have_count(0)
    written = [file.read_text() for file in app_server.folder.rglob("*.jsonl")]
    assert not any("secret" in text for text in written)


def test_an_attached_file_goes_with_the_question(app):
    app.page.locator("input[type=file]").first.set_input_files(
        [
            {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"The code is 4711."},
            {"name": "more.txt", "mimeType": "text/plain", "buffer": b"It was 1234."},
        ]
    )
    chips = app.page.get_by_role("list", name="Attached files").get_by_role("listitem")
    expect(chips).to_have_text([re.compile("notes.txt *inline"), re.compile("more.txt *inline")])

    app.say("What is the code?")

    expect(app.answers.last).to_contain_text("4711")
    question = app.page.get_by_role("article", name="You").last
    expect(question).not_to_contain_text("4711")
    expect(question.get_by_role("list", name="Attached files")).to_contain_text("notes.txt")

    question.hover()
    question.get_by_role("button", name="Edit").click()
    box = app.page.get_by_role("textbox", name="Edit your message")
    box.fill("Once more, what is it?")
    box.press("Enter")
    expect(question).to_contain_text("Once more")
    expect(app.answers.last).to_contain_text("Once more, what is it?")
    expect(app.answers.last).to_contain_text("4711")

    app.page.reload()
    app.page.get_by_role("list", name="Chats").get_by_text("notes.txt, more.txt").first.click()
    expect(question).to_contain_text("Once more")
    expect(question.get_by_role("list", name="Attached files")).to_contain_text("notes.txt")
    expect(question).not_to_contain_text("4711")


def test_a_number_in_an_answer_leads_to_its_passage(app):
    # Long for the page, which looks passages up in it; short for the model, which reads them.
    text = "".join(f"Line {number} says little.{' ' * 900}\n" for number in range(30))
    app.page.locator("input[type=file]").first.set_input_files(
        {"name": "tale.txt", "mimeType": "text/plain", "buffer": text.encode()}
    )
    expect(app.page.get_by_text("retrieval")).to_be_visible()

    app.say("What says [2], and `xs[1] = 2`?")

    answer = app.answers.last
    expect(answer.locator("code").filter(has_text="xs[1] = 2").last).to_be_visible()
    expect(answer.get_by_text("Sources · 6")).to_be_visible()
    expect(answer.get_by_text(re.compile(r"\d+ tokens"))).to_be_visible()
    passage = answer.locator("li:focus")
    for _ in range(2):
        answer.get_by_role("button", name="Source [2]").last.click()
        expect(passage).to_contain_text("tale.txt")
        expect(passage).to_be_in_viewport()
        answer.get_by_text("Sources · 6").click()


def test_html_of_an_answer_is_shown_in_a_frame_that_reaches_nothing(app):
    html = (
        "<script>try { parent.document.title = 'stolen' } catch {}\n"
        "document.write('<b>run</b>')</script>"
    )
    app.say(f"Look:\n\n```html\n{html}\n```")
    app.answers.last.get_by_role("button", name="Preview").click()

    frame = app.page.locator("iframe")
    assert frame.get_attribute("sandbox") == "allow-scripts"
    expect(frame.content_frame.locator("b")).to_have_text("run")
    assert app.page.title() == "mlxsite"


def test_what_an_answer_made_is_opened_beside_it_and_saved(app):
    page = "Look:\n\n```html\n<title>Clock</title>\n<p id=now>{}</p>\n```"
    app.say(page.format("twelve"))
    expect(app.answers.last.get_by_role("button", name="Clock")).to_be_visible()
    app.say(page.format("thirteen"))
    app.answers.last.get_by_role("button", name="Clock version 2").click()

    panel = app.page.get_by_role("complementary", name="Artifact")
    shown = panel.frame_locator("iframe").locator("#now")
    expect(shown).to_have_text("thirteen")
    panel.get_by_role("button", name="Earlier version").click()
    expect(shown).to_have_text("twelve")
    panel.get_by_role("button", name="Source").click()
    expect(panel.get_by_label("Source", exact=True).last).to_contain_text("<p id=now>twelve</p>")
    with app.page.expect_download() as download:
        panel.get_by_role("button", name="Download").click()
    assert download.value.suggested_filename == "Clock.html"
    panel.get_by_role("button", name="Close").click()
    expect(panel).to_have_count(0)


def test_the_hub_that_is_away_is_said_to_be_away(app):
    app.search_palette("browse")
    app.page.keyboard.press("Enter")
    app.page.get_by_role("tab", name="Search the Hub").click()
    app.page.get_by_role("searchbox", name="Search the Hub").fill("qwen")

    expect(app.page.get_by_text("The Hub cannot be reached from here.")).to_be_visible()


def test_nothing_to_reclaim_is_said(app):
    app.page.get_by_role("button", name="Settings").click()
    app.page.get_by_role("button", name="Look for old revisions").click()

    expect(app.page.get_by_text("Nothing to reclaim.")).to_be_visible()


def test_the_assistant_leads_and_points(app):
    app.say(tool_call("spotlight_ui", target="sampling-pill", message="Here it is"))
    expect(app.page.get_by_text("Here it is")).to_be_visible()

    app.say(tool_call("spotlight_ui", target="new-chat", message="Begin here"))
    expect(app.page.get_by_text("Begin here")).to_be_visible()

    app.say(tool_call("navigate_app", route="status"))
    expect(app.page.get_by_role("heading", name="Status")).to_be_visible()


def test_the_assistant_sees_the_page_and_not_what_was_said_on_it(app):
    app.say("a [planted link](https://evil.example)")
    expect(app.answers.last).to_contain_text("planted link")
    chats = app.page.get_by_role("list", name="Chats")
    expect(chats.get_by_text("planted link")).to_be_visible()

    app.say(tool_call("get_current_app_context"))

    told = app.answers.last
    expect(told).to_contain_text('"route":"chat"')
    expect(told).to_contain_text("Search chats")
    assert "planted" not in told.text_content().partition("The tool said")[2]


@pytest.mark.parametrize("before", ["", "before"], ids=["first turn", "later turn"])
def test_a_lost_connection_comes_back_with_its_chat(open_app, before):
    app = open_app()
    app.page.add_init_script(KEEP_SOCKETS)
    app.open()
    if before:
        app.say(before)
        expect(app.answers.last).to_contain_text(f"You said: {before}")
    app.say("long " * 800)
    expect(app.page.get_by_role("button", name="Stop")).to_be_visible()

    app.page.evaluate("window.sockets.at(-1).close()")
    expect(app.page.get_by_text("Connection lost")).to_be_visible()
    expect(app.page.get_by_role("button", name="Stop")).to_have_count(0)

    app.say("after")
    expect(app.answers.last).to_contain_text("You said: after")
    questions = app.page.get_by_role("article", name="You").all_inner_texts()
    assert [text.split()[0] for text in questions] == [*before.split(), "long", "after"]


PAGES = ["chat", "quantize", "finetune", "dataset", "status"]


# In the dark, only colours differ.
@pytest.mark.parametrize(("scheme", "rules"), [("light", ()), ("dark", ("color-contrast",))])
def test_no_page_has_a_serious_fault_of_access(open_app, scheme, rules):
    app = open_app(scheme=scheme)
    found = {}
    for route in PAGES:
        app.open(route)
        app.page.wait_for_timeout(200)
        found[route] = app.serious_violations(*rules)
    app.open("chat")
    for panel in ("Settings", "Instructions", "Sampling", "Format"):
        app.page.get_by_role("button", name=panel, exact=True).click()
        app.page.wait_for_timeout(150)
        found[panel] = app.serious_violations(*rules)
        app.page.keyboard.press("Escape")
    app.say("# Tea\n\n```svg\n<svg><title>Cup</title></svg>\n```\n\n| a |\n|---|\n| 1 |")
    app.answers.last.get_by_role("button", name="Cup").click()
    for artifact in ("Picture", "Source"):
        found[artifact] = app.serious_violations(*rules)
        app.page.get_by_role("button", name="Source", exact=True).click()

    app.page.keyboard.press("Escape")
    app.page.locator("#model-button").click()
    app.page.get_by_role("dialog", name="Models of this machine").wait_for()
    found["models"] = app.serious_violations(*rules)
    app.page.keyboard.press("Escape")

    assert {place: faults for place, faults in found.items() if faults} == {}


@pytest.mark.parametrize(("scheme", "rules"), [("light", ()), ("dark", ("color-contrast",))])
def test_what_opens_around_the_message_box_has_no_serious_fault_of_access(open_app, scheme, rules):
    app = open_app(scheme=scheme)
    kept = json.dumps([{"name": "letter", "text": "Write to {{whom}}."}])
    app.page.add_init_script(f"localStorage.setItem('mlxsite.snippets', {json.dumps(kept)})")
    with_tools(app.open())
    found = {}
    app.message.fill("/")
    app.page.get_by_role("option", name=re.compile("letter")).wait_for()
    found["kept prompts"] = app.serious_violations(*rules)
    app.page.locator("input[type=file]").first.set_input_files(
        {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"The code is 4711."}
    )
    app.message.fill("#")
    app.page.get_by_role("option", name=re.compile("notes.txt")).wait_for()
    found["mentions"] = app.serious_violations(*rules)
    app.say(tool_call("edit", path="a.txt", old_text="x", new_text="y"))
    app.page.get_by_label("Approval for edit").wait_for()
    found["approval"] = app.serious_violations(*rules)
    app.page.get_by_role("button", name="Deny").click()
    app.page.get_by_text("denied", exact=True).wait_for()
    found["denied"] = app.serious_violations(*rules)

    assert {place: faults for place, faults in found.items() if faults} == {}


def test_an_artifact_lies_over_the_chat_where_there_is_no_room_beside_it(open_app):
    app = open_app(375).open()
    app.say("Look:\n\n```svg\n<svg><title>Cup</title></svg>\n```")
    opener = app.answers.last.get_by_role("button", name="Cup")
    opener.click()

    panel = app.page.get_by_role("dialog", name="Artifact")
    expect(panel.get_by_role("button", name="Download")).to_be_in_viewport(ratio=1)
    assert app.page.evaluate("document.documentElement.scrollWidth") <= 375
    app.page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    expect(opener).to_be_focused()
    opener.press("Enter")
    expect(panel).to_be_visible()


@pytest.mark.parametrize("width", [375, 768, 1280])
def test_every_page_fits_every_screen(open_app, width):
    app = open_app(width)
    wide = {}
    for route in PAGES:
        app.open(route)
        app.page.wait_for_timeout(250)
        wide[route] = app.page.evaluate("document.documentElement.scrollWidth")

    assert wide == dict.fromkeys(PAGES, width)


def test_the_drawer_of_a_narrow_screen_opens_chats_and_closes(open_app):
    app = open_app(375).open()
    app.say("narrow")
    expect(app.answers.last).to_contain_text("narrow")

    app.page.get_by_role("button", name="Chats").click()
    drawer = app.page.get_by_role("dialog", name="Chats")
    drawer.get_by_role("button", name=re.compile("narrow")).first.click()

    expect(drawer).to_have_count(0)
    expect(app.answers.last).to_contain_text("narrow")


def test_everything_on_the_chat_page_is_reached_by_the_keyboard(app):
    wanted = {"Message", "Instructions", "Sampling", "Format", "Settings", "Attach files"}
    for _ in range(150):  # two for each chat in the list
        app.page.keyboard.press("Tab")
        wanted.discard(
            app.page.evaluate(
                "document.activeElement.getAttribute('aria-label') || "
                "document.activeElement.textContent.trim()"
            )
        )
        if not wanted:
            break

    assert wanted == set()
