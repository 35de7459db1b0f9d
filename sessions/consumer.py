"""One connection of `/ws/chat`: text to frames, frames to text, and nothing in between."""

import asyncio
import logging
from collections import deque
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer

from sessions.conversation import Conversation, OpenConversation
from sessions.frames.client import FrameError, read_frame
from sessions.frames.server import (
    Error,
    ServerFrame,
    TextDelta,
    ThinkingDelta,
    ToolUpdate,
    write_frame,
)

logger = logging.getLogger(__name__)

MOST_WAITING = 10_000  # frames that a browser may be behind before it is let go
TOO_SLOW = 1008


class ChatConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]  # channels has no types
    """open_conversation: makes what the frames are for.

    Frames leave through a queue with one sender, in the order in which they were told. Deltas
    that wait there are joined: the further a browser lags, the fewer frames it gets.
    """

    def __init__(self, open_conversation: OpenConversation) -> None:
        super().__init__()
        self._open_conversation = open_conversation
        self._conversation: Conversation | None = None
        self._sender: asyncio.Task[None] | None = None

    async def __call__(self, *args: Any) -> None:
        try:
            await super().__call__(*args)
        finally:  # not in `disconnect`, which is not called when anything before it fails
            await self._end()

    async def connect(self) -> None:
        self._waiting: deque[ServerFrame] = deque()
        self._wake = asyncio.Event()
        self._sender = asyncio.create_task(self._send_waiting())
        self._conversation = self._open_conversation(self._tell)
        await self.accept()
        await self._conversation.begin()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if text_data is None:
            await self._tell(Error(message="frames are text, and this one is binary"))
            return
        try:
            frame = read_frame(text_data)
        except FrameError as error:
            await self._tell(Error(message=str(error)))
            return
        assert self._conversation is not None
        try:
            await self._conversation.handle(frame)
        except Exception:
            logger.exception("a %s frame failed", frame.type)
            await self._tell(Error(message=f"{frame.type} failed; the server's log says why"))

    async def _end(self) -> None:
        try:
            if self._conversation is not None:
                await self._conversation.close()
        finally:
            if self._sender is not None:
                self._sender.cancel()

    async def _tell(self, frame: ServerFrame) -> None:
        last = self._waiting[-1] if self._waiting else None
        joined = _join(last, frame) if last is not None else None
        if joined is not None:
            self._waiting[-1] = joined
        else:
            self._waiting.append(frame)
        if len(self._waiting) > MOST_WAITING:
            self._waiting.clear()
            await self.close(code=TOO_SLOW)
        self._wake.set()

    async def _send_waiting(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._waiting:
                await self.send(text_data=_written(self._waiting.popleft()))


def _written(frame: ServerFrame) -> str:
    """Write a frame; one that cannot be written ends nothing but itself."""
    try:
        return write_frame(frame)
    except Exception:
        logger.exception("a %s frame cannot be written", frame.type)
        return write_frame(Error(message=f"{frame.type} cannot be told; the server's log says why"))


def _join(last: ServerFrame, frame: ServerFrame) -> ServerFrame | None:
    match last, frame:
        case TextDelta(), TextDelta():
            return TextDelta(delta=last.delta + frame.delta)
        case ThinkingDelta(), ThinkingDelta():
            return ThinkingDelta(delta=last.delta + frame.delta)
        case ToolUpdate(), ToolUpdate() if last.call_id == frame.call_id:
            return ToolUpdate(call_id=last.call_id, chunk=last.chunk + frame.chunk)
    return None
