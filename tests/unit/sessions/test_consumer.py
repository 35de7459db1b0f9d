"""The socket of a chat: whatever ends it, nothing of it stays."""

import asyncio

import pytest
from channels.testing import WebsocketCommunicator

from sessions.consumer import ChatConsumer

PATIENCE = 10


class Conversation:
    def __init__(self, *, fails):
        self.fails = fails
        self.closed = 0

    async def begin(self):
        if self.fails:
            raise RuntimeError("a bug")

    async def handle(self, frame):
        pass

    async def close(self):
        self.closed += 1


@pytest.fixture
def connect():
    async def connect(open_conversation):
        before = asyncio.all_tasks()
        application = ChatConsumer.as_asgi(open_conversation=open_conversation)
        communicator = WebsocketCommunicator(application, "/ws/chat")
        await communicator.send_input({"type": "websocket.connect"})
        return communicator, lambda: asyncio.all_tasks() - before

    return connect


async def test_a_greeting_that_fails_leaves_nothing_behind(connect):
    conversation = Conversation(fails=True)
    communicator, tasks = await connect(lambda send: conversation)

    with pytest.raises(RuntimeError, match="a bug"):
        await communicator.wait(PATIENCE)

    await asyncio.sleep(0)
    assert conversation.closed == 1
    assert not tasks()


async def test_a_chat_that_cannot_be_opened_leaves_nothing_behind(connect):
    def fail(send):
        raise RuntimeError("a bug")

    communicator, tasks = await connect(fail)

    with pytest.raises(RuntimeError, match="a bug"):
        await communicator.wait(PATIENCE)

    await asyncio.sleep(0)
    assert not tasks()


@pytest.mark.parametrize("how", ["left", "cancelled"])
async def test_a_chat_is_closed_once_however_its_socket_ends(connect, how):
    conversation = Conversation(fails=False)
    communicator, tasks = await connect(lambda send: conversation)
    assert (await communicator.receive_output(PATIENCE))["type"] == "websocket.accept"

    if how == "left":
        await communicator.disconnect(timeout=PATIENCE)
    else:
        communicator.stop(exceptions=False)
        await asyncio.wait(tasks(), timeout=PATIENCE)

    await asyncio.sleep(0)
    assert conversation.closed == 1
    assert not tasks()
