"""Content on the way in: a string or a list of parts, checked part by part."""

from collections.abc import Iterable
from dataclasses import dataclass

from inference.errors import InvalidRequest
from inference.messages import MediaKind

# By type, the field with the text.
_TEXTS = {
    "input_text": "text",
    "output_text": "text",
    "text": "text",
    "summary_text": "text",
    "reasoning_text": "text",
    "refusal": "refusal",
}
_MEDIA = {
    "input_image": MediaKind.IMAGE,
    "image_url": MediaKind.IMAGE,
    "input_audio": MediaKind.AUDIO,
    "input_video": MediaKind.VIDEO,
}
PART_TYPES = (*_TEXTS, *_MEDIA, "input_file")


@dataclass(frozen=True, slots=True)
class Content:
    """A content field, its texts joined. media: kinds of its other parts, in order."""

    text: str
    media: tuple[MediaKind, ...] = ()


def to_content(value: object, where: str) -> Content:
    """Read a content field; null is empty.

    Raises InvalidRequest naming the place, `where`, and what is wrong there.
    """
    if value is None:
        return Content("")
    if isinstance(value, str):
        return Content(value)
    if not isinstance(value, list):
        raise invalid(f"{where} must be a string or a list of parts")
    return _joined(_part(part, f"{where}[{index}]") for index, part in enumerate(value))


def _joined(parts: Iterable[str | MediaKind]) -> Content:
    texts: list[str] = []
    media: list[MediaKind] = []
    for part in parts:
        if isinstance(part, MediaKind):
            media.append(part)
        else:
            texts.append(part)
    return Content("".join(texts), tuple(media))


def _part(part: object, where: str) -> str | MediaKind:
    if not isinstance(part, dict):
        raise invalid(f"{where} must be an object with a type")
    kind = part.get("type")
    if kind == "input_file":
        raise invalid(f"{where} is a file, which this server cannot read; send its text")
    if not isinstance(kind, str) or kind not in PART_TYPES:
        known = ", ".join(f"'{name}'" for name in PART_TYPES)
        raise invalid(f"{where}.type is {kind!r}, expected one of {known}")
    if kind in _MEDIA:
        return _MEDIA[kind]
    text = part.get(_TEXTS[kind])
    if not isinstance(text, str):
        raise invalid(f"{where}.{_TEXTS[kind]} must be a string")
    return text


def invalid(message: str) -> InvalidRequest:
    return InvalidRequest(message, "input")
