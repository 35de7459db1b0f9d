"""What a page shows around the conversation, told by frames of its own."""

import logging
from collections.abc import Sequence

from asgiref.sync import sync_to_async

from inference import runtime
from sessions import index
from sessions.agent.current_session import CurrentSession
from sessions.conversation import Send
from sessions.frames import server
from sessions.frames.values import GenDefaults, Usage
from sessions.store.entries import Entry
from sessions.store.history import history
from sessions.store.messages import usage_of

logger = logging.getLogger(__name__)


class Display:
    """The page of one connection."""

    def __init__(self, send: Send) -> None:
        self._send = send

    async def model(self) -> None:
        """Tell which model answers."""
        service = runtime.get_service()
        await self._send(
            server.Ready(
                model=service.model.model_id,
                vision=False,
                audio=False,
                thinking=service.answer_format.reasoning is not None,
                gen_defaults=GenDefaults(
                    temperature=service.gen_defaults.temperature,
                    top_p=service.gen_defaults.top_p,
                    top_k=service.gen_defaults.top_k,
                ),
            )
        )

    async def conversation(self, session: CurrentSession) -> None:
        """Tell what was said, what stands beside it, and how full the window is with it."""
        branch = session.tree.branch()
        await self._send(server.History(items=history(branch)))
        await self.siblings(session)
        await self._send(context_usage(_usage_at_the_end(branch)))

    async def siblings(self, session: CurrentSession) -> None:
        last = session.tree.last_user()
        ids = [entry.id for entry in session.tree.siblings(last)] if last else []
        await self._send(
            server.Siblings(
                entry_id=last.id if last else None,
                index=ids.index(last.id) if last and last.id in ids else 0,
                count=len(ids),
                sibling_ids=ids,
            )
        )

    async def sessions(self, session: CurrentSession) -> None:
        """Tell the list of chats, for a page that asked for it or changed it."""
        items = await sync_to_async(index.session_items)()
        await self._send(server.Sessions(items=items, active_path=session.path))

    async def sessions_unasked(self, session: CurrentSession) -> None:
        """Tell the list of chats beside something else, which goes on if it cannot be read."""
        try:
            await self.sessions(session)
        except Exception:
            logger.exception("the chats cannot be listed")


def context_usage(usage: Usage | None) -> server.ContextUsage:
    """Return how full the window is; usage: of the last answer, None while that is not known."""
    window = runtime.get_service().config.max_context
    if usage is None:
        return server.ContextUsage(tokens=None, context_window=window, percent=None)
    tokens = usage.prompt_tokens + usage.completion_tokens
    return server.ContextUsage(tokens=tokens, context_window=window, percent=100 * tokens / window)


def _usage_at_the_end(branch: Sequence[Entry]) -> Usage | None:
    for entry in reversed(branch):
        if entry.type == "compaction":
            return None
        if entry.message is not None and (usage := usage_of(entry.message)) is not None:
            return usage
    return None
