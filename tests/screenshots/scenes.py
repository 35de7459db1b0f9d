"""Every page and panel of the app, each as a function that leads there."""

import json

from tests.plugins.web_app import tool_call
from tests.screenshots import canned

ANSWER = """Merging **overlapping intervals** takes one pass once they are sorted:

```python
def merge(intervals: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:  # a comment, so that the line scrolls
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
```

| Step | Cost | Why | Note |
| --- | --- | --- | --- |
| Sorting | $O(n \\log n)$ | comparisons | the only part that is not linear |
| Merging | $O(n)$ | one pass | every interval is looked at once, and never again |

1. Sort by start.
2. Merge while the next one begins before the last one ends:
   - [x] touching counts
   - [ ] gaps do not

> A long address: https://example.org/a/very/long/path/that/does/not/break/anywhere/at/all/and/goes/on

$$\\int_0^1 x^2\\,dx = \\frac{1}{3}$$
"""


def chat_empty(app):
    app.page.get_by_text("What are we working on?").wait_for()


def chat_answer(app):
    app.say(ANSWER)
    app.answers.last.get_by_role("button", name="Regenerate").wait_for(timeout=60_000)
    app.page.wait_for_timeout(600)


def chat_history(app):
    chat_answer(app)
    app.page.locator("[role=log]").evaluate("log => log.parentElement.scrollTo(0, 0)")


def conversation(app):
    """What the README shows: a question and its answer, as if the chat had been opened."""
    app.page.get_by_text("What are we working on?").wait_for()
    for frame in canned.CONVERSATION:
        app.page.evaluate(
            "frame => window.sockets.at(-1).dispatchEvent("
            "new MessageEvent('message', { data: JSON.stringify(frame) }))",
            frame,
        )
    app.page.locator(".hljs-keyword").first.wait_for()


PAGE = """A clock, as a page of its own:

```html
<title>Clock</title>
<style>
  body { display: grid; place-items: center; min-height: 100vh; margin: 0; background: #123 }
  time { color: #9fd; font: 600 12vmin monospace }
</style>
<time>12:34</time>
```
"""


def artifact(app):
    for version in (PAGE, PAGE.replace("#9fd", "#fd9")):
        app.say(version)
        app.answers.last.get_by_role("button", name="Regenerate").wait_for()
    app.answers.last.get_by_role("button", name="Clock").click()
    app.page.wait_for_timeout(300)


def artifact_source(app):
    artifact(app)
    app.page.get_by_role("button", name="Source", exact=True).click()


def with_tools(app):
    app.page.evaluate("localStorage.setItem('mlxsite.coding-tools', 'true')")
    app.page.reload()
    app.page.get_by_role("status", name="Live").wait_for()
    app.page.get_by_text("What are we working on?").wait_for()
    app.page.keyboard.press("Control+Shift+O")


def chat_approval(app):
    with_tools(app)
    app.say(
        tool_call("write", path="notes/plan.md", content="# Plan\n\n- sow\n- water\n" + "x" * 120)
    )
    app.page.get_by_label("Approval for write").wait_for()


def chat_tools(app):
    chat_approval(app)
    app.page.get_by_role("button", name="Allow").click()
    app.page.get_by_text("1 file changed").wait_for()


def drawer(app):
    chat_answer(app)
    opener = app.page.get_by_role("button", name="Chats", exact=True)
    if opener.is_visible():
        opener.click()


def palette(app):
    app.page.keyboard.press("Control+k")


def shortcuts(app):
    app.page.keyboard.press("Control+/")


def models(app):
    app.page.locator("#model-button").click()
    app.page.get_by_role("dialog").get_by_text("serving").first.wait_for()


def command(words):
    def go(app):
        app.page.keyboard.press("Control+k")
        app.page.keyboard.type(words)
        app.page.keyboard.press("Enter")
        app.page.wait_for_timeout(400)

    return go


def button(name):
    def go(app):
        app.page.get_by_role("button", name=name, exact=True).click()
        app.page.wait_for_timeout(200)

    return go


def sampling_more(app):
    button("Sampling")(app)
    app.page.get_by_text("More", exact=True).click()


def hub_search(app):
    command("browse")(app)
    app.page.get_by_role("tab", name="Search the Hub").click()
    app.page.get_by_role("searchbox").last.fill("qwen3")
    app.page.get_by_text("48,211 downloads").wait_for()


def article(app):
    command("openmemory")(app)
    app.page.get_by_role("button", name="Garden Plan 2026", exact=True).click()
    app.page.get_by_text("Linked from").wait_for()


def history(app):
    article(app)
    app.page.get_by_role("tab", name="History").click()
    app.page.get_by_role("button", name="Sow the south bed").click()
    app.page.wait_for_timeout(200)


def no_memory(app):
    answer(app, "/api/memory/**", canned.NO_MEMORY)
    app.page.reload()
    command("openmemory")(app)


def settings(app):
    button("Settings")(app)
    app.page.get_by_role("button", name="Look for old revisions").click()
    app.page.wait_for_timeout(200)


def sign_in(app):
    error = {"error": {"message": "missing or incorrect API key"}}
    answer(app, "/v1/models", error, status=401)
    app.page.reload()
    app.page.get_by_role("heading", name="Sign in").wait_for()


def answer(app, path, body, status=200):
    app.page.route(
        f"**{path}",
        lambda route: route.fulfill(
            status=status, body=json.dumps(body), content_type="application/json"
        ),
    )


def outside(path, shown):
    """Leads to a page of its own, and waits for a text of it."""

    def go(app):
        app.page.goto(f"{app.url}{path}")
        app.page.get_by_text(shown).first.wait_for()

    return go


def wizard(kind, events):
    """Leads through a wizard to a job that has told `events`; None stops before it is begun."""

    def go(app):
        answer(app, f"/api/{kind}/submit", {"ok": True, "job_id": "j"})
        body = canned.stream(events or [])
        app.page.route(
            "**/api/jobs/j/stream",
            lambda route: route.fulfill(body=body, content_type="text/event-stream"),
        )
        WAYS[kind](app, events is not None)
        app.page.wait_for_timeout(700)

    return go


def _quantize(app, submit):
    answer(
        app,
        "/api/quantize/inspect",
        {"ok": True, "arch": "Qwen3ForCausalLM", "support": True, "size_gb": 8.1},
    )
    app.page.get_by_label("Model", exact=True).fill("Qwen/Qwen3-4B")
    app.page.get_by_role("button", name="Inspect").click()
    app.page.get_by_role("button", name="Continue").click()
    if submit:
        app.page.get_by_role("button", name="Quantize", exact=True).click()


def _finetune(app, submit):
    answer(
        app,
        "/api/finetune/inspect-dataset",
        {"ok": True, "n_train": 412, "n_valid": 46, "format": "messages"},
    )
    app.page.get_by_label("Base model").fill("Qwen/Qwen3-4B")
    app.page.get_by_role("button", name="Continue").click()
    app.page.get_by_label("Folder of the dataset").fill("~/datasets/support")
    app.page.get_by_role("button", name="Inspect").click()
    app.page.get_by_role("button", name="Continue").click()
    if submit:
        app.page.get_by_role("button", name="Train", exact=True).click()


def _dataset(app, submit):
    app.page.locator(".cards button").first.click()
    app.page.wait_for_timeout(200)
    if submit:
        for box in app.page.locator(".card.body :is(input[type=text], textarea)").all():
            if not box.input_value():
                box.fill("~/documents/notes")
        app.page.get_by_role("button", name="Generate", exact=True).click()


WAYS = {"quantize": _quantize, "finetune": _finetune, "dataset": _dataset}
METRICS = [*canned.RUNNING, *canned.METRICS]
TRAINED = [*METRICS, *canned.DONE[-2:]]

# name: the page it begins on, and how it goes on.
SCENES = {
    "chat-empty": ("chat", chat_empty),
    "chat-answer": ("chat", chat_answer),
    "chat-top": ("chat", chat_history),
    "conversation": ("chat", conversation),
    "chat-approval": ("chat", chat_approval),
    "chat-tools": ("chat", chat_tools),
    "artifact": ("chat", artifact),
    "artifact-source": ("chat", artifact_source),
    "chats": ("chat", drawer),
    "palette": ("chat", palette),
    "shortcuts": ("chat", shortcuts),
    "model-popover": ("chat", models),
    "instructions": ("chat", button("Instructions")),
    "sampling": ("chat", sampling_more),
    "format": ("chat", button("Format")),
    "hub": ("chat", command("browse")),
    "hub-search": ("chat", hub_search),
    "memory": ("chat", command("openmemory")),
    "memory-article": ("chat", article),
    "memory-history": ("chat", history),
    "memory-none": ("chat", no_memory),
    "adapters": ("chat", command("openadapters")),
    "settings": ("chat", settings),
    "sign-in": ("chat", sign_in),
    "quantize-source": ("quantize", lambda app: None),
    "quantize-configure": ("quantize", wizard("quantize", None)),
    "quantize-run": ("quantize", wizard("quantize", canned.RUNNING)),
    "quantize-failed": ("quantize", wizard("quantize", canned.FAILED)),
    "quantize-done": ("quantize", wizard("quantize", canned.DONE)),
    "finetune-base": ("finetune", lambda app: None),
    "finetune-settings": ("finetune", wizard("finetune", None)),
    "finetune-train": ("finetune", wizard("finetune", METRICS)),
    "finetune-done": ("finetune", wizard("finetune", TRAINED)),
    "dataset-templates": ("dataset", lambda app: None),
    "dataset-inputs": ("dataset", wizard("dataset", None)),
    "dataset-run": ("dataset", wizard("dataset", canned.RUNNING)),
    "dataset-done": ("dataset", wizard("dataset", canned.DONE)),
    "status": ("status", lambda app: None),
    "routes": ("routes", lambda app: None),
    "curves": ("chat", outside("/curves", "Curve designer")),
    "api": ("chat", outside("/api/docs", "mlxsite")),
    "connect": ("chat", outside("/connect", "mlxsite")),
}
