"""What a connection of `/ws/chat` talks to: frames in, frames out."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from sessions.frames.client import ClientFrame
from sessions.frames.server import ServerFrame

Send = Callable[[ServerFrame], Awaitable[None]]


class Conversation(Protocol):
    """One connection's chat. Runs on the event loop; nothing in it may block."""

    async def begin(self) -> None:
        """Greet: `ready`, and what else a page needs to draw itself."""

    async def handle(self, frame: ClientFrame) -> None:
        """Act on a frame. Returns at once: an answer goes on by itself and is told by frames."""

    async def close(self) -> None:
        """The connection is gone: end the answer, its tools, and open questions."""


OpenConversation = Callable[[Send], Conversation]
