"""A chat over its WebSocket, with a scripted model and tools of the test's own."""

import asyncio
import json
from collections.abc import Callable, Sequence

import pytest
from channels.testing import WebsocketCommunicator

from hub.tool_approvals import ToolApprovals
from inference import runtime
from inference.engine.scripted import ScriptedRunner
from inference.text.byte_tokenizer import END_OF_TURN
from sessions.agent.conversation import ChatConversation
from sessions.agent.equipment import Equipment
from sessions.consumer import ChatConsumer
from sessions.store.search import SessionSearch
from sessions.store.store import SessionStore
from sessions.tools.base import Tool, ToolResult, parameters

PATIENCE = 10  # seconds that a frame may take


def call(name, **args):
    """Spell a call as the scripted model makes it."""
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': args})}\n</tool_call>"


def tool(name, run=None, *, gated=False):
    """A tool of the agent's, which tells what it got if it does nothing else."""

    async def echo(args, update):
        return ToolResult(f"{name} got {json.dumps(args)}")

    return Tool(name, f"The tool {name}.", parameters(), run or echo, gated)


class Connection:
    """One browser's socket."""

    def __init__(self, communicator):
        self._communicator = communicator
        self.frames = []

    async def send(self, kind, **members):
        await self._communicator.send_to(text_data=json.dumps({"type": kind, **members}))

    async def send_raw(self, text):
        await self._communicator.send_to(text_data=text)

    async def next(self):
        text = await self._communicator.receive_from(timeout=PATIENCE)
        frame = json.loads(text)
        self.frames.append(frame)
        return frame

    async def until(self, kind, **members):
        """Read on to the first frame of a kind, and with given members; returns it."""
        while True:
            frame = await self.next()
            if frame["type"] == kind and members.items() <= frame.items():
                return frame

    async def ask(self, text, **members):
        """Send a prompt and return the frames up to the end of its turn."""
        self.frames.clear()
        await self.send("prompt", text=text, **members)
        await self.until("turn_end")
        await self.until("sessions")
        return list(self.frames)

    async def close(self):
        await self._communicator.disconnect()


def kinds(frames):
    """The types of frames, each once where it repeats."""
    found = []
    for frame in frames:
        if not found or found[-1] != frame["type"]:
            found.append(frame["type"])
    return found


def text_of(frames):
    return "".join(frame["delta"] for frame in frames if frame["type"] == "text_delta")


@pytest.fixture
def chat_store(tmp_path, settings):
    settings.SESSION_STORE = SessionStore(tmp_path / "sessions")
    settings.SESSION_SEARCH = SessionSearch(settings.SESSION_STORE)
    settings.TOOL_APPROVALS = ToolApprovals(tmp_path / "tool-approvals.json")
    return settings.SESSION_STORE


@pytest.fixture
async def chat(chat_store, make_service, monkeypatch, transactional_db):
    """Call with the model's answers, one for each time it is asked; returns a `Connection`.

    answers: the last one repeats; or a function, from what the model is asked to its answer.
    tools: what the agent has, in place of its own.
    """
    open_ones = []
    made = {}

    async def connect(
        answers: Sequence[str] | Callable[[str], str] = ("Hello",),
        *,
        tools=None,
        greet=True,
        **service,
    ):
        if "service" not in made or answers != made["answers"]:
            left = answers if callable(answers) else list(answers)
            prompts = []

            seen = made["seen"] = []

            def script(sequence):
                for look in seen:
                    look(sequence)
                prompts.append(bytes(sequence.prompt).decode(errors="replace"))
                if callable(left):
                    text = left(prompts[-1])
                else:
                    text = left.pop(0) if len(left) > 1 else left[0]
                return [*text.encode(), END_OF_TURN]

            limits = {"max_context": 100_000, "context_window": 100_000, **service}
            runner = limits.pop("runner", None) or ScriptedRunner(script)
            made.update(answers=answers, service=make_service(runner=runner, **limits))
            made["service"].prompts = prompts
            monkeypatch.setattr(runtime, "_service", made["service"])
        if tools is not None:

            async def toolbox(self, *, coding):
                from sessions.agent.toolbox import Toolbox

                return Toolbox(tools)

            monkeypatch.setattr(Equipment, "toolbox", toolbox)
        application = ChatConsumer.as_asgi(open_conversation=ChatConversation)
        communicator = WebsocketCommunicator(application, "/ws/chat")
        connected, _ = await communicator.connect(timeout=PATIENCE)
        assert connected
        connection = Connection(communicator)
        connection.prompts = made["service"].prompts
        connection.watch = made["seen"].append
        open_ones.append(connection)
        if greet:
            await connection.until("coding_tools")
            connection.frames.clear()
        return connection

    yield connect
    for connection in open_ones:
        await asyncio.wait_for(connection.close(), PATIENCE)
