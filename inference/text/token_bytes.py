"""The bytes behind every token id, read off a tokenizer once at load.

A token need not be a whole character, so text is assembled from bytes. Two families cover
the models in use: byte-level BPE, whose vocabulary spells bytes as printable characters,
and SentencePiece, with `▁` for a space and `<0xNN>` for single bytes.
"""

import json
import re
from collections.abc import Callable
from typing import Any

_BYTE_TOKEN = re.compile(r"<0x([0-9A-F]{2})>")


def token_bytes_of(tokenizer: Any) -> tuple[list[bytes], bool]:
    """Return the bytes of each id, and whether decoding strips one leading space.

    tokenizer: a transformers tokenizer. Special tokens have no bytes: they are never shown.
    """
    decoder = _decoder_parts(tokenizer)
    kinds = {part.get("type") for part in decoder}
    spell: Callable[[str], bytes] = _byte_level if "ByteLevel" in kinds else _sentencepiece
    if "ByteFallback" in kinds:
        spell = _with_byte_tokens(spell)
    strips = any(_strips_leading_space(part) for part in decoder)
    size = max(tokenizer.get_vocab().values(), default=-1) + 1
    added = tokenizer.added_tokens_decoder
    special = set(tokenizer.all_special_ids)
    table = []
    for index, piece in enumerate(tokenizer.convert_ids_to_tokens(range(size))):
        if piece is None or index in special or (index in added and added[index].special):
            table.append(b"")
        elif index in added:
            table.append(added[index].content.encode())
        else:
            table.append(spell(piece))
    return table, strips


def _strips_leading_space(part: dict[str, Any]) -> bool:
    match part.get("type"):
        case "Strip":
            return bool(part.get("start"))
        case "Metaspace":
            return bool(part.get("prepend_scheme", "always") != "never")
    return False


def _decoder_parts(tokenizer: Any) -> list[dict[str, Any]]:
    backend = getattr(tokenizer, "backend_tokenizer", None)
    decoder = json.loads(backend.to_str()).get("decoder") if backend is not None else None
    if decoder is None:
        return []
    return list(decoder["decoders"]) if decoder.get("type") == "Sequence" else [decoder]


def _with_byte_tokens(spell: Callable[[str], bytes]) -> Callable[[str], bytes]:
    """Without a ByteFallback decoder, `<0x41>` is text like any other."""

    def spell_either(piece: str) -> bytes:
        match = _BYTE_TOKEN.fullmatch(piece)
        return bytes([int(match[1], 16)]) if match else spell(piece)

    return spell_either


def _sentencepiece(piece: str) -> bytes:
    return piece.replace("▁", " ").encode()


def _byte_level(piece: str) -> bytes:
    result = bytearray()
    for character in piece:
        byte = _BYTE_OF.get(character)
        result += character.encode() if byte is None else bytes([byte])
    return bytes(result)


def _byte_alphabet() -> dict[str, int]:
    """Build GPT-2's spelling: printable bytes are themselves, the others follow U+0100."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    alphabet = {chr(byte): byte for byte in printable}
    others = [byte for byte in range(256) if byte not in set(printable)]
    alphabet.update({chr(0x100 + index): byte for index, byte in enumerate(others)})
    return alphabet


_BYTE_OF = _byte_alphabet()
