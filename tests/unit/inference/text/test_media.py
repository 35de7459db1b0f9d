"""Messages with more than text are refused, never answered as if they had none."""

import pytest

from inference.errors import InvalidRequest
from inference.messages import MediaKind, Message, Role
from inference.text.media import refuse_media

IMAGE, AUDIO, VIDEO = MediaKind.IMAGE, MediaKind.AUDIO, MediaKind.VIDEO


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ((IMAGE,), "model has no vision sidecar"),
        ((AUDIO,), "model org/m takes no audio content parts; send text"),
        ((VIDEO,), "model org/m takes no video content parts; send text"),
        ((AUDIO, IMAGE), "model has no vision sidecar"),
        ((VIDEO, IMAGE), "model has no vision sidecar"),
        ((VIDEO, AUDIO), "video and audio content parts cannot be combined"),
        ((AUDIO, IMAGE, VIDEO), "video and audio content parts cannot be combined"),
    ],
)
def test_each_kind_has_its_refusal_in_whichever_message_it_is(kinds, expected):
    # Public case pa-11.
    together = [Message(Role.USER, "a"), Message(Role.TOOL, "b", media=kinds)]
    apart = [Message(Role.USER, "", media=(kind,)) for kind in kinds]

    for messages in (together, apart):
        with pytest.raises(InvalidRequest) as raised:
            refuse_media(messages, "org/m")
        assert (raised.value.message, raised.value.param) == (expected, "messages")


def test_text_passes():
    refuse_media([Message(Role.SYSTEM, "a"), Message(Role.USER, "")], "org/m")
