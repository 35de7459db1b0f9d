"""What the pages know of the served model."""

from dataclasses import dataclass

from inference import runtime
from inference.errors import EngineNotRunning


@dataclass(frozen=True, slots=True)
class ServedModel:
    """The served model in words.

    name: its id on the wire.
    facts: label and value, in the order to show.
    """

    name: str
    facts: tuple[tuple[str, str], ...]

    @property
    def owner(self) -> str:
        """The part of the name before the slash; empty where there is none."""
        return self.name.rpartition("/")[0]

    @property
    def short_name(self) -> str:
        return self.name.rpartition("/")[2]


def current() -> ServedModel | None:
    """The model that answers now, or None while there is none."""
    try:
        service = runtime.get_service()
    except EngineNotRunning:
        return None
    (_, name), *facts = service.describe()
    return ServedModel(name, tuple(facts))
