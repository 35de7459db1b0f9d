"""Frames that the page sends, and how they are read."""

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from sessions.frames.base import Wire
from sessions.frames.values import AppContext, Image, SamplingFields

LONGEST_TEXT = 4_000_000  # characters of one prompt: beyond any window
LONGEST_SYSTEM_PROMPT = 100_000
MOST_IMAGES = 16

Text = Annotated[str, Field(max_length=LONGEST_TEXT)]


class Prompt(Wire):
    """The user's next message. While an answer is under way, it waits its turn."""

    type: Literal["prompt"] = "prompt"
    text: Text
    images: Annotated[tuple[Image, ...], Field(max_length=MOST_IMAGES)] = ()


class Abort(Wire):
    """Stop the answer, and the tools it has running."""

    type: Literal["abort"] = "abort"


class Approval(Wire):
    """The user's word on a call. edited_args: what to call with instead."""

    type: Literal["approval"] = "approval"
    call_id: str
    decision: Literal["allow", "deny"]
    edited_args: dict[str, Any] | None = None
    always_allow: bool = False


class SetThinking(Wire):
    type: Literal["set_thinking"] = "set_thinking"
    enabled: bool


class SetCodingTools(Wire):
    """Whether the next session has the tools that read and change files."""

    type: Literal["set_coding_tools"] = "set_coding_tools"
    enabled: bool


class SetAdapter(Wire):
    """Adapters to answer with, `a+b` for several; None for the base model."""

    type: Literal["set_adapter"] = "set_adapter"
    id: str | None = None


class SetSampling(SamplingFields):
    """For the session, or for the next message alone."""

    type: Literal["set_sampling"] = "set_sampling"
    scope: Literal["session", "next_turn"] = "session"


class SetSystemPrompt(Wire):
    """Instructions that follow the built-in ones; None for none."""

    type: Literal["set_system_prompt"] = "set_system_prompt"
    text: Annotated[str, Field(max_length=LONGEST_SYSTEM_PROMPT)] | None = None


class SetStructured(Wire):
    """A JSON Schema that answers without tools have to fit; None for free text."""

    type: Literal["set_structured"] = "set_structured"
    json_schema: dict[str, Any] | None = Field(default=None, alias="schema")


class SetLogprobs(Wire):
    """Whether to tell how sure the model was of each token."""

    type: Literal["set_logprobs"] = "set_logprobs"
    enabled: bool


class NewSession(Wire):
    """temporary: kept in memory alone, and gone with the connection."""

    type: Literal["new_session"] = "new_session"
    temporary: bool = False


class ListSessions(Wire):
    type: Literal["list_sessions"] = "list_sessions"


class OpenSession(Wire):
    type: Literal["open_session"] = "open_session"
    path: str


class ForkSession(Wire):
    type: Literal["fork_session"] = "fork_session"
    path: str


class DeleteSession(Wire):
    type: Literal["delete_session"] = "delete_session"
    path: str


class RenameSession(Wire):
    type: Literal["rename_session"] = "rename_session"
    path: str
    name: Annotated[str, Field(max_length=200)]


class PinSession(Wire):
    type: Literal["pin_session"] = "pin_session"
    path: str
    pinned: bool


class DeleteMessage(Wire):
    """Take one message out of the conversation; the file keeps it, marked as deleted."""

    type: Literal["delete_message"] = "delete_message"
    entry_id: str


class Regenerate(Wire):
    """Answer the last message once more, as another branch."""

    type: Literal["regenerate"] = "regenerate"


class EditResend(Wire):
    """Put the last message in other words, as another branch."""

    type: Literal["edit_resend"] = "edit_resend"
    text: Text


class SwitchSibling(Wire):
    """Go to the branch that begins with a message."""

    type: Literal["switch_sibling"] = "switch_sibling"
    entry_id: str


class Context(Wire):
    """What the user sees now."""

    type: Literal["context"] = "context"
    context: AppContext


ClientFrame = (
    Prompt
    | Abort
    | Approval
    | SetThinking
    | SetCodingTools
    | SetAdapter
    | SetSampling
    | SetSystemPrompt
    | SetStructured
    | SetLogprobs
    | NewSession
    | ListSessions
    | OpenSession
    | ForkSession
    | DeleteSession
    | RenameSession
    | PinSession
    | DeleteMessage
    | Regenerate
    | EditResend
    | SwitchSibling
    | Context
)
CLIENT: TypeAdapter[ClientFrame] = TypeAdapter(Annotated[ClientFrame, Field(discriminator="type")])


class FrameError(ValueError):
    """What was sent is no frame; the text says what is wrong with it."""


def read_frame(text: str) -> ClientFrame:
    """Read one frame; raises FrameError."""
    try:
        return CLIENT.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise FrameError(f"{place}: {first['msg']}" if place else first["msg"]) from None
