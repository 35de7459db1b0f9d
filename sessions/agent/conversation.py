"""The chat behind one connection: what each frame of the page leads to."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from functools import partial

from django.conf import settings as site

from inference import runtime
from inference.errors import InferenceError
from sessions.agent.app_context import ambient_line
from sessions.agent.approvals import Approvals
from sessions.agent.calls import Calls
from sessions.agent.current_session import CurrentSession
from sessions.agent.display import Display
from sessions.agent.equipment import Equipment
from sessions.agent.run import Run
from sessions.agent.settings import ChatSettings
from sessions.agent.turns import Question, Turns
from sessions.conversation import Send
from sessions.errors import SessionError, SessionNotFound
from sessions.frames import client, server
from sessions.store.entries import Entry
from sessions.store.messages import Message, text_of, user_message
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
        self._turns = Turns(self._answer, send)
        self._display = Display(send)
        self._coding_tools = False  # of the session that is open
        self._unwatch: Callable[[], None] = _nothing
        self._is_switched = False  # and the page has not been told
        self._telling: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        self._unwatch = runtime.watch(partial(self._on_switch, asyncio.get_running_loop()))
        await self._display.model()
        allowed = await asyncio.to_thread(site.TOOL_APPROVALS.allowed)
        await self._send(server.ToolApprovals(always_allow=allowed))
        await self._tell_coding_tools()

    async def handle(self, frame: client.ClientFrame) -> None:
        try:
            await self._act(frame)
        except SessionError as error:
            await self._send(server.Error(message=str(error)))

    async def close(self) -> None:
        self._unwatch()
        self._unwatch = _nothing
        await self._leave()

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
                await self._display.sessions(self._session)
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
                await self._display.sessions(self._session)
            case client.PinSession():
                await asyncio.to_thread(self._store.describe, frame.path, pinned=frame.pinned)
                await self._display.sessions(self._session)
            case _:
                await self._act_on_branch(frame)

    async def _act_on_branch(self, frame: client.ClientFrame) -> None:
        if self._turns.under_way:
            await self._send(server.Error(message="an answer is under way; stop it first"))
            return
        try:
            await self._session.reload()
        except SessionNotFound as error:
            await self._send(server.Error(message=str(error)))
            await self._enter(CurrentSession(self._store))
            return
        except SessionError as error:
            await self._send(server.Error(message=str(error)))
            await self._display.conversation(self._session)  # the page may have let go of some
            return
        match frame:
            case client.Regenerate():
                last = self._last_user()
                await self._branch_from(last, last.message or {})
            case client.EditResend():
                await self._branch_from(self._last_user(), user_message(frame.text))
            case client.SwitchSibling() | client.DeleteMessage():
                with self._session.answering():  # what is answered elsewhere stays as it is
                    await self._change_branch(frame)
                await self._display.conversation(self._session)

    async def _change_branch(self, frame: client.SwitchSibling | client.DeleteMessage) -> None:
        tree = self._session.tree
        entry = tree.get(frame.entry_id)
        if isinstance(frame, client.SwitchSibling):
            await self._session.append_below(tree.deepest(entry).id, "branch")
            return
        await self._session.delete(tree.answer(entry))

    def _last_user(self) -> Entry:
        last = self._session.tree.last_user()
        if last is None:
            raise SessionError("there is no message yet")
        return last

    async def _branch_from(self, last: Entry, message: Message) -> None:
        """Put the last message once more, beside itself, and answer it."""
        put = partial(self._session.append_below, last.parent_id, "message", message=message)
        await self._turns.ask(Question(text_of(message), put, is_branch=True))

    async def _prompt(self, frame: client.Prompt) -> None:
        if frame.images:
            await self._send(server.Error(message="the served model cannot see pictures"))
            return
        put = partial(self._session.add_message, user_message(frame.text))
        await self._turns.ask(Question(frame.text, put))

    async def _answer(self, question: Question) -> None:
        """Put a question and answer it; whatever happens, the turn ends with a frame."""
        session = self._session
        is_new, leaf, is_told = session.path is None, session.tree.leaf, False
        try:
            with session.answering():
                await question.put()
                if is_new and session.path is not None:
                    await self._display.sessions_unasked(session)
                await self._display.siblings(session)
                is_told = True
                await self._run()
        except asyncio.CancelledError:
            is_put = session.tree.leaf != leaf  # also when it was being written just then
            if is_put and not is_told:
                await self._display.siblings(session)
            await self._break_off(has_begun=is_put)
            raise
        except SessionNotFound as error:
            await self._fail(str(error), has_begun=False)
            self._turns.forget()  # it was meant for a chat that is gone
            await self._enter(CurrentSession(self._store))
            return
        except (InferenceError, SessionError) as error:
            await self._fail(str(error), has_begun=is_told)
        except Exception:
            logger.exception("an answer failed")
            await self._fail("the answer failed; the server's log says why", has_begun=is_told)
        if question.is_branch and not is_told:
            await self._show_again(session)
        await self._display.sessions_unasked(session)
        await self._tell_switch()

    async def _show_again(self, session: CurrentSession) -> None:
        """Bring back to the page what it has let go of, with what other tabs have written."""
        with contextlib.suppress(SessionError):  # then it is shown as it was
            await session.reload()
        await self._display.conversation(session)

    async def _run(self) -> None:
        toolbox = await self._equipment.toolbox(coding=self._coding_tools)
        await Run(
            session=self._session,
            settings=self._settings,
            toolbox=toolbox,
            calls=Calls(self._session, toolbox, self._approvals, self._send),
            send=self._send,
            hints=self._equipment.hints,
            ambient=ambient_line(self._equipment.context),
        ).go()

    async def _fail(self, text: str, *, has_begun: bool) -> None:
        self._settings.once = None
        await self._send(server.Error(message=text))
        await self._break_off(has_begun=has_begun)

    async def _break_off(self, *, has_begun: bool) -> None:
        """End the turn where it is; what there is of an answer can be deleted."""
        answer = self._session.answer_id if has_begun else None
        await self._send(server.TurnEnd(entry_id=answer))

    async def _abort(self) -> None:
        self._turns.forget()
        await self._turns.tell_queue()
        if await self._turns.stop():
            await self._display.sessions_unasked(self._session)
            await self._tell_switch()

    async def _leave(self) -> None:
        self._turns.forget()
        await self._turns.stop()

    async def _enter(self, session: CurrentSession) -> None:
        self._session = session
        self._coding_tools = self._settings.coding_tools
        await self._turns.tell_queue()
        await self._display.conversation(session)
        await self._tell_coding_tools()
        await self._display.sessions_unasked(session)
        await self._tell_switch()

    async def _delete(self, path: str) -> None:
        name = (await asyncio.to_thread(self._store.open, path)).name
        if name == self._session.path:
            await self._leave()
            await asyncio.to_thread(self._store.delete, name)
            await self._enter(CurrentSession(self._store))
            return
        await asyncio.to_thread(self._store.delete, name)
        await self._display.sessions(self._session)

    async def _tell_coding_tools(self) -> None:
        await self._send(
            server.CodingTools(active=self._coding_tools, pending=self._settings.coding_tools)
        )

    def _on_switch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Another model answers from now on. Thread: the switch's."""
        with contextlib.suppress(RuntimeError):  # the loop has ended, and with it the page
            loop.call_soon_threadsafe(self._note_switch)

    def _note_switch(self) -> None:
        # An answer under way is that of the model before, so the page names the new one later.
        self._is_switched = True
        if not self._turns.under_way:
            self._telling = asyncio.create_task(self._tell_switch())

    async def _tell_switch(self) -> None:
        if self._is_switched:
            self._is_switched = False
            await self._display.model()


def _nothing() -> None:
    return None
