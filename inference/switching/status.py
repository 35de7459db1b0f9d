"""Where a switch of the served model stands, as pages ask for it."""

from dataclasses import dataclass
from enum import StrEnum


class SwitchState(StrEnum):
    """What goes on. Of the two in the middle either can come first."""

    IDLE = "idle"  # none was asked for yet
    DRAINING = "draining"  # answers of the old model are being finished
    LOADING = "loading"
    READY = "ready"  # the target is served
    FAILED = "failed"  # it is not; the old model is, if that could be had back


@dataclass(frozen=True, slots=True)
class SwitchStatus:
    """A moment of the last switch, or of the one under way.

    target: the repo id of the model asked for. progress: from 0 to 1, the part of its weights
    that is in memory; None before loading. message: for people. error: why it failed.
    """

    state: SwitchState = SwitchState.IDLE
    target: str | None = None
    progress: float | None = None
    message: str = ""
    error: str | None = None
