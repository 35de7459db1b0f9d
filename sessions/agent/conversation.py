"""The chat behind one connection: what each frame of the page leads to."""

import asyncio
import logging
from collections import deque
from collections.abc import Coroutine
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings as site

from inference import runtime
from inference.errors import InferenceError
from sessions import index
from sessions.agent.app_context import ambient_line
from sessions.agent.approvals import Approvals
from sessions.agent.calls import Calls
from sessions.agent.current_session import CurrentSession
from sessions.agent.equipment import Equipment
from sessions.agent.run import Run
from sessions.agent.settings import ChatSettings
from sessions.conversation import Send
from sessions.errors import SessionError
from sessions.frames import client, server
from sessions.frames.values import GenDefaults
from sessions.store.entries import Entry
from sessions.store.history import history
from sessions.store.messages import Message, user_message
from sessions.store.store import SessionStore

logger = logging.getLogger(__name__)


class ChatConversation:
    """A `Conversation` on the files of `site.SESSION_STORE`.

    One task answers, one prompt after another; frames that come meanwhile change what the next
    prompt finds, or queue up.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self._store: SessionStore = site.SESSION_STORE
        self._session = CurrentSession(self._store)
        self._settings = ChatSettings()
        self._approvals = Approvals(site.TOOL_APPROVALS, send)
        self._equipment = Equipment(send)
        self._waiting: deque[client.Prompt] = deque()
        self._answering: asyncio.Task[None] | None = None
        self._coding_tools = False  # of the session that is open

    async def begin(self) -> None:
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
        allowed = await asyncio.to_thread(site.TOOL_APPROVALS.allowed)
        await self._send(server.ToolApprovals(always_allow=allowed))
        await self._tell_coding_tools()

    async def handle(self, frame: client.ClientFrame) -> None:
        try:
            await self._act(frame)
        except SessionError as error:
            await self._send(server.Error(message=str(error)))

    async def close(self) -> None:
        self._waiting.clear()
        await self._stop()

    async def _act(self, frame: client.ClientFrame) -> None:
        match frame:
            case client.Prompt():
                await self._prompt(frame)
            case client.Abort():
                await self._abort()
            case client.Approval():
                if not self._approvals.answer(frame):
                    await self._send(server.Error(message="no call waits for this approval"))
            case client.SetCodingTools():
                self._settings.coding_tools = frame.enabled
                await self._tell_coding_tools()
            case client.Context():
                self._equipment.context = frame.context
            case _ if not self._settings.take(frame):
                await self._act_on_sessions(frame)

    async def _act_on_sessions(self, frame: client.ClientFrame) -> None:
        match frame:
            case client.NewSession():
                await self._leave()
                await self._enter(CurrentSession(self._store, temporary=frame.temporary))
            case client.ListSessions():
                await self._tell_sessions()
            case client.OpenSession():
                session = await CurrentSession.open(self._store, frame.path)
                await self._leave()
                await self._enter(session)
            case client.ForkSession():
                file = await asyncio.to_thread(self._store.fork, frame.path)
                session = await CurrentSession.open(self._store, file.name)
                await self._leave()
                await self._enter(session)
            case client.DeleteSession():
                await self._delete(frame.path)
            case client.RenameSession():
                await asyncio.to_thread(self._store.describe, frame.path, name=frame.name)
                await self._tell_sessions()
            case client.PinSession():
                await asyncio.to_thread(self._store.describe, frame.path, pinned=frame.pinned)
                await self._tell_sessions()
            case _:
                await self._act_on_branch(frame)

    async def _act_on_branch(self, frame: client.ClientFrame) -> None:
        if self._is_answering:
            await self._send(server.Error(message="an answer is under way; stop it first"))
            return
        await self._session.reload()
        tree = self._session.tree
        match frame:
            case client.Regenerate():
                last = self._last_user()
                await self._branch_from(last, last.message or {})
            case client.EditResend():
                await self._branch_from(self._last_user(), user_message(frame.text))
            case client.SwitchSibling():
                deepest = tree.deepest(tree.get(frame.entry_id))
                await self._session.append_below(deepest.id, "branch")
                await self._show()
            case client.DeleteMessage():
                for entry in tree.answer(tree.get(frame.entry_id)):
                    await self._session.append("deletion", targetId=entry.id)
                await self._show()

    def _last_user(self) -> Entry:
        last = self._session.tree.last_user()
        if last is None:
            raise SessionError("there is no message yet")
        return last

    async def _branch_from(self, last: Entry, message: Message) -> None:
        """Put the last message once more, beside itself, and answer it."""
        await self._session.append_below(last.parent_id, "message", message=message)
        self._start(self._answer_last())

    async def _prompt(self, frame: client.Prompt) -> None:
        if frame.images:
            await self._send(server.Error(message="the served model cannot see pictures"))
        elif self._is_answering:
            self._waiting.append(frame)
            await self._tell_queue()
        else:
            self._start(self._answer(frame))

    async def _answer(self, frame: client.Prompt | None) -> None:
        """Answer a prompt and then those that came meanwhile."""
        while frame is not None:
            await self._session.reload()
            await self._session.add_message(user_message(frame.text, frame.images))
            await self._answer_last()
            frame = self._waiting.popleft() if self._waiting else None
            if frame is not None:
                await self._tell_queue()

    async def _answer_last(self) -> None:
        """Answer the newest message; whatever happens, the turn ends with a frame."""
        await self._tell_siblings()
        toolbox = await self._equipment.toolbox(coding=self._coding_tools)
        run = Run(
            session=self._session,
            settings=self._settings,
            toolbox=toolbox,
            calls=Calls(self._session, toolbox, self._approvals, self._send),
            send=self._send,
            hints=self._equipment.hints,
            ambient=ambient_line(self._equipment.context),
        )
        try:
            await run.go()
        except asyncio.CancelledError:
            await self._break_off()
            raise
        except (InferenceError, SessionError) as error:
            await self._fail(str(error))
        except Exception:
            logger.exception("an answer failed")
            await self._fail("the answer failed; the server's log says why")
        await self._tell_sessions()

    async def _fail(self, text: str) -> None:
        self._settings.once = None
        await self._send(server.Error(message=text))
        await self._break_off()

    async def _break_off(self) -> None:
        """End the answer where it is; what there is of it can be deleted."""
        await self._send(server.TurnEnd(entry_id=self._session.answer_id))

    @property
    def _is_answering(self) -> bool:
        return self._answering is not None and not self._answering.done()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        self._answering = asyncio.create_task(work)
        self._answering.add_done_callback(_log_failure)

    async def _abort(self) -> None:
        self._waiting.clear()
        await self._tell_queue()
        await self._stop()

    async def _stop(self) -> None:
        task, self._answering = self._answering, None
        if task is not None and not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _leave(self) -> None:
        self._waiting.clear()
        await self._stop()

    async def _enter(self, session: CurrentSession) -> None:
        self._session = session
        self._coding_tools = self._settings.coding_tools
        await self._show()
        await self._tell_coding_tools()
        await self._tell_sessions()

    async def _delete(self, path: str) -> None:
        name = (await asyncio.to_thread(self._store.open, path)).name
        if name == self._session.path:
            await self._leave()
            await asyncio.to_thread(self._store.delete, name)
            await self._enter(CurrentSession(self._store))
            return
        await asyncio.to_thread(self._store.delete, name)
        await self._tell_sessions()

    async def _show(self) -> None:
        await self._send(server.History(items=history(self._session.tree.branch())))
        await self._tell_siblings()

    async def _tell_siblings(self) -> None:
        last = self._session.tree.last_user()
        ids = [entry.id for entry in self._session.tree.siblings(last)] if last else []
        await self._send(
            server.Siblings(
                entry_id=last.id if last else None,
                index=ids.index(last.id) if last and last.id in ids else 0,
                count=len(ids),
                sibling_ids=ids,
            )
        )

    async def _tell_sessions(self) -> None:
        items = await sync_to_async(index.session_items)()
        await self._send(server.Sessions(items=items, active_path=self._session.path))

    async def _tell_queue(self) -> None:
        await self._send(
            server.QueueUpdate(steering=[], follow_up=[frame.text for frame in self._waiting])
        )

    async def _tell_coding_tools(self) -> None:
        await self._send(
            server.CodingTools(active=self._coding_tools, pending=self._settings.coding_tools)
        )


def _log_failure(task: "asyncio.Task[None]") -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        logger.error("a conversation failed", exc_info=error)
