"""What the user chose for the answers of one connection."""

from dataclasses import dataclass, field, fields, replace
from typing import Any

from inference.request import SamplingChoice
from sessions.frames import client
from sessions.frames.values import SamplingFields

_SAMPLING = tuple(SamplingFields.model_fields)


@dataclass(slots=True)
class ChatSettings:
    """once: for the next answer alone, over `sampling`; None when nothing is armed.

    thinking: None leaves it to the server.
    adapter: ids of adapters; None for the server's default.
    coding_tools: what the next session begins with.
    """

    thinking: bool | None = None
    adapter: tuple[str, ...] | None = None
    sampling: SamplingChoice = field(default_factory=SamplingChoice)
    once: SamplingChoice | None = None
    system_prompt: str = ""
    schema: dict[str, Any] | None = None
    logprobs: bool = False
    coding_tools: bool = False

    def take(self, frame: client.ClientFrame) -> bool:
        """Note what a frame chooses; False for a frame that is about something else."""
        match frame:
            case client.SetThinking():
                self.thinking = frame.enabled
            case client.SetAdapter():
                self.adapter = _adapter_ids(frame.id)
            case client.SetSampling():
                self._set_sampling(frame)
            case client.SetSystemPrompt():
                self.system_prompt = frame.text or ""
            case client.SetStructured():
                self.schema = frame.json_schema
            case client.SetLogprobs():
                self.logprobs = frame.enabled
            case _:
                return False
        return True

    def take_sampling(self) -> SamplingChoice:
        """Return how to draw the next answer; what was armed for one has had its turn."""
        once, self.once = self.once, None
        if once is None:
            return self.sampling
        given = {f.name: getattr(once, f.name) for f in fields(once)}
        return replace(self.sampling, **{n: v for n, v in given.items() if v is not None})

    def _set_sampling(self, frame: client.SetSampling) -> None:
        choice = SamplingChoice(**{name: getattr(frame, name) for name in _SAMPLING})
        if frame.scope == "next_turn":
            self.once = choice
        else:
            self.sampling = choice


def _adapter_ids(spec: str | None) -> tuple[str, ...] | None:
    """Read `a+b` or `a,b`; `none` and nothing at all mean the base model."""
    if spec is None or not spec.strip() or spec.strip().lower() == "none":
        return ()
    return tuple(part for p in spec.replace(",", "+").split("+") if (part := p.strip()))
