"""Where the user is in the app, in one line of the instructions."""

from sessions.frames.values import AppContext

ROUTES = {
    "chat": "Chat",
    "quantize": "Quantize",
    "finetune": "Fine-tune",
    "dataset": "Build Dataset",
    "status": "Status",
}
_VIEWS = {
    "memory-panel": "Memory panel",
    "hub-panel": "Models panel",
    "adapters-panel": "Adapters panel",
}


def ambient_line(context: AppContext | None) -> str:
    """Return `[user is on: Quantize · step 2/4]`, or nothing while the page has told nothing."""
    if context is None:
        return ""
    if context.view is not None:
        return f"[user is on: {_VIEWS[context.view]}]"
    place = ROUTES.get(context.route, context.route[:40])
    if context.step is not None:
        place += f" · step {context.step.index + 1}/{context.step.count}"
    return f"[user is on: {place}]"
