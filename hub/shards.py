"""Files that weights are split into, told by names such as `model-00001-of-00002.safetensors`."""

import re
from collections.abc import Iterable

_SHARD = re.compile(r"(?P<stem>.+-)(?P<number>\d+)-of-(?P<total>\d+)\.safetensors")


def missing_shard(names: Iterable[str]) -> str | None:
    """Name the first shard that others of these say there is; None if they are all there."""
    numbers: dict[tuple[str, str], set[int]] = {}
    for name in names:
        if found := _SHARD.fullmatch(name):
            numbers.setdefault((found["stem"], found["total"]), set()).add(int(found["number"]))
    for (stem, total), known in sorted(numbers.items()):
        first = next(number for number in range(1, len(known) + 2) if number not in known)
        if first <= int(total):
            return f"{stem}{first:0{len(total)}}-of-{total}.safetensors"
    return None
