"""What a model without eyes and ears says to pictures, sound and video."""

from collections.abc import Sequence

from inference.errors import InvalidRequest
from inference.messages import MediaKind, Message


def refuse_media(messages: Sequence[Message], model_id: str) -> None:
    """Raise InvalidRequest if a message holds anything but text.

    Never a silent answer to the text alone. The texts are part of the contract.
    """
    kinds = {kind for message in messages for kind in message.media}
    if kinds >= {MediaKind.VIDEO, MediaKind.AUDIO}:
        raise InvalidRequest("video and audio content parts cannot be combined", "messages")
    if MediaKind.IMAGE in kinds:
        raise InvalidRequest("model has no vision sidecar", "messages")
    for kind in (MediaKind.AUDIO, MediaKind.VIDEO):
        if kind in kinds:
            raise InvalidRequest(
                f"model {model_id} takes no {kind} content parts; send text", "messages"
            )
