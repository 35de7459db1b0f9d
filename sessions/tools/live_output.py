"""What a running program prints, as a page is told of it: now and then, and not for ever."""

import asyncio
import codecs
from types import TracebackType

from sessions.tools.base import Update

INTERVAL = 0.2  # seconds between two updates
MOST_AT_ONCE = 8000  # characters; a page shows no more, and of more it is the end that counts
MOST_IN_ALL = 200_000  # characters; who prints on and on is not watched
SILENCE = "\n[more is printed than is shown while it runs]\n"


class LiveOutput:
    """Tells `update` of bytes while the block runs, and what is left at its end.

    `feed` returns at once, however slow the page is: what it does not see is left out.
    """

    def __init__(self, update: Update) -> None:
        self._update = update
        # A character may come in two pieces.
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._pending = ""
        self._left = MOST_IN_ALL
        self._fed = asyncio.Event()

    async def __aenter__(self) -> "LiveOutput":
        self._task = asyncio.create_task(self._tell())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        self._take(self._decoder.decode(b"", final=True))
        if kind is None or issubclass(kind, Exception):
            await self._flush()

    def feed(self, chunk: bytes) -> None:
        if self._left > 0:
            self._take(self._decoder.decode(chunk))
            self._fed.set()

    def _take(self, text: str) -> None:
        self._pending = (self._pending + text)[-MOST_AT_ONCE:]

    async def _tell(self) -> None:
        while True:
            await self._fed.wait()
            self._fed.clear()
            await self._flush()
            await asyncio.sleep(INTERVAL)

    async def _flush(self) -> None:
        text, self._pending = self._pending, ""
        if not text or self._left <= 0:
            return
        self._left -= len(text)
        await self._update(text if self._left > 0 else text + SILENCE)
