"""The turns of one connection: what the user asks is answered in order, one at a time."""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from sessions.conversation import Send
from sessions.frames.server import QueueUpdate

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Question:
    """text: what a page shows of it while it waits. put: puts it into the session.

    is_branch: whether the page has let go of an answer for it.
    """

    text: str
    put: Callable[[], Awaitable[object]]
    is_branch: bool = False


class Turns:
    """One task answers, one question after another; those that come meanwhile queue up.

    answer: puts a question and answers it; it ends the turn, whatever happens.
    """

    def __init__(self, answer: Callable[[Question], Awaitable[None]], send: Send) -> None:
        self._answer = answer
        self._send = send
        self._waiting: deque[Question] = deque()
        self._task: asyncio.Task[None] | None = None

    @property
    def under_way(self) -> bool:
        return self._task is not None and not self._task.done()

    async def ask(self, question: Question) -> None:
        """Answer a question now, or when those before it have been."""
        if self.under_way:
            self._waiting.append(question)
            await self.tell_queue()
            return
        self._task = asyncio.create_task(self._go(question))
        self._task.add_done_callback(_log_failure)

    def forget(self) -> None:
        """Let go of what waits."""
        self._waiting.clear()

    async def stop(self) -> bool:
        """End the answer under way, and wait for its end; False if there was none."""
        task, self._task = self._task, None
        if task is None or task.done():
            return False
        await asyncio.sleep(0)  # a task that never began would not end its turn either
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return True

    async def tell_queue(self) -> None:
        await self._send(QueueUpdate(steering=[], follow_up=[q.text for q in self._waiting]))

    async def _go(self, question: Question) -> None:
        await self._answer(question)
        while self._waiting:
            question = self._waiting.popleft()
            await self.tell_queue()
            await self._answer(question)


def _log_failure(task: "asyncio.Task[None]") -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        logger.error("a conversation failed", exc_info=error)
