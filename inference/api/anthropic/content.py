"""Content on the way in: a string or a list of blocks, checked block by block."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inference.errors import InvalidRequest
from inference.messages import MediaKind

_AUDIO = ("input_audio", "audio", "audio_url")
_IMAGE_SOURCES = {"base64": "data", "url": "url"}  # by type, the field with the image


@dataclass(frozen=True, slots=True)
class Block:
    """One block of content.

    where: its place in the request, for errors.
    """

    where: str
    kind: str
    fields: Mapping[str, Any]

    def string(self, name: str) -> str:
        """Return a field that is text; raises InvalidRequest for anything else."""
        value = self.fields.get(name)
        if not isinstance(value, str):
            raise invalid(f"{self.where}.{name} must be a string")
        return value


def to_blocks(content: object, where: str, kinds: Sequence[str]) -> list[Block]:
    """Return the blocks of a content field; a string is one of text, null is none.

    Raises InvalidRequest naming the place and the kind of a block that is not of `kinds`.
    """
    if content is None:
        return []
    if isinstance(content, str):
        return [Block(where, "text", {"text": content})]
    if not isinstance(content, list):
        raise invalid(f"{where} must be a string or a list of blocks")
    return [_block(block, f"{where}[{index}]", kinds) for index, block in enumerate(content)]


def text_of(blocks: Iterable[Block]) -> str:
    """Join the texts among blocks, as they stand: an answer is read back as it was written."""
    return "".join(block.string("text") for block in blocks if block.kind == "text")


def media_of(blocks: Iterable[Block]) -> tuple[MediaKind, ...]:
    """Return the kinds of media among blocks, in order."""
    return tuple(_image(block) for block in blocks if block.kind == "image")


def invalid(message: str) -> InvalidRequest:
    return InvalidRequest(message, "messages")


def _block(block: object, where: str, kinds: Sequence[str]) -> Block:
    if not isinstance(block, dict):
        raise invalid(f"{where} must be an object with a type")
    kind = block.get("type")
    if kind in _AUDIO:
        raise invalid(
            f"{where}.type is {kind!r}, but this protocol has no audio; "
            "send it to /v1/chat/completions"
        )
    if not isinstance(kind, str) or kind not in kinds:
        known = ", ".join(f"'{name}'" for name in kinds)
        raise invalid(f"{where}.type is {kind!r}, expected one of {known}")
    return Block(where, kind, block)


def _image(block: Block) -> MediaKind:
    source = block.fields.get("source")
    if not isinstance(source, dict):
        raise invalid(f"{block.where}.source must be an object")
    kind = source.get("type")
    if not isinstance(kind, str) or kind not in _IMAGE_SOURCES:
        known = " or ".join(f"'{name}'" for name in _IMAGE_SOURCES)
        raise invalid(f"{block.where}.source.type is {kind!r}, expected {known}")
    if not isinstance(source.get(_IMAGE_SOURCES[kind]), str):
        raise invalid(f"{block.where}.source.{_IMAGE_SOURCES[kind]} must be a string")
    return MediaKind.IMAGE
