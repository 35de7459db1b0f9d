"""What every frame of `/ws/chat` has in common.

A frame is one JSON object with a `type`. Members are read strictly, since nobody types frames by
hand: text is text and a number a number. What a frame has beyond its members is passed over, so
that an older server and a newer page get along.
"""

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Wire(BaseModel):
    """Members are spelled in camel case on the wire."""

    model_config = ConfigDict(
        frozen=True, strict=True, extra="ignore", alias_generator=to_camel, populate_by_name=True
    )


class SnakeWire(BaseModel):
    """Members are spelled on the wire as they are here."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")
