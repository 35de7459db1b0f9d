"""One answer of the model: a request to the service, told to the page while it comes."""

import json
import uuid
from dataclasses import dataclass, field
from typing import Any

from inference import runtime
from inference.events import (
    Failed,
    Finished,
    FinishReason,
    ReasoningDelta,
    TextDelta,
    TokenLogprobs,
    ToolCalled,
)
from inference.request import GenerationRequest
from sessions.conversation import Send
from sessions.frames.server import TextDelta as TextFrame
from sessions.frames.server import ThinkingDelta as ThinkingFrame
from sessions.frames.values import Part, TextPart, ThinkingPart, ToolPart, Usage
from sessions.store.messages import Message, assistant_message
from sessions.surrogates import replace_halves_in

_STOP = {
    FinishReason.STOP: "stop",
    FinishReason.LENGTH: "length",
    FinishReason.TOOL_CALLS: "toolUse",
}


@dataclass(slots=True)
class Answer:
    """What came so far; whole once `stop_reason` is neither `aborted` nor `error`."""

    model: str = ""
    parts: list[Part] = field(default_factory=list)
    stop_reason: str = "aborted"
    usage: Usage | None = None
    lane: str | None = None
    logprobs: tuple[TokenLogprobs, ...] = ()

    @property
    def calls(self) -> list[ToolPart]:
        return [part for part in self.parts if isinstance(part, ToolPart)]

    def message(self) -> Message:
        return assistant_message(
            self.parts,
            stop_reason=self.stop_reason,
            usage=self.usage,
            lane=self.lane,
            model=self.model,
        )


async def ask(request: GenerationRequest, answer: Answer, send: Send) -> None:
    """Fill `answer`, and tell the page of each piece.

    Cancelling ends the generation; `answer` then holds what had come. Raises InferenceError.
    """
    service = runtime.get_service()
    generation = await service.generate(request)
    async with generation:
        answer.model = generation.model_id
        async for event in generation:
            match event:
                case TextDelta(text):
                    _write(answer, TextPart(text=text))
                    await send(TextFrame(delta=text))
                case ReasoningDelta(text):
                    _write(answer, ThinkingPart(text=text))
                    await send(ThinkingFrame(delta=text))
                case ToolCalled():
                    answer.parts.append(_call(event))
                case Finished():
                    answer.stop_reason = _STOP[event.reason]
                    answer.lane = event.usage.lane.value
                    answer.logprobs = event.logprobs
                    answer.usage = Usage(
                        prompt_tokens=event.usage.prompt_tokens,
                        completion_tokens=event.usage.completion_tokens,
                        cached_tokens=event.usage.cached_tokens,
                    )
                case Failed(error):
                    answer.stop_reason = "error"
                    raise error


def new_request_id() -> str:
    return f"chat-{uuid.uuid4().hex}"


def _write(answer: Answer, part: TextPart | ThinkingPart) -> None:
    last = answer.parts[-1] if answer.parts else None
    if isinstance(last, TextPart | ThinkingPart) and last.type == part.type:
        answer.parts[-1] = last.model_copy(update={"text": last.text + part.text})
    else:
        answer.parts.append(part)


def _call(event: ToolCalled) -> ToolPart:
    try:
        args: Any = replace_halves_in(json.loads(event.arguments))
    except ValueError:
        args = {}
    return ToolPart(call_id=event.id, tool=event.name, args=args if isinstance(args, dict) else {})
