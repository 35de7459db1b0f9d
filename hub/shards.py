"""Files that weights are split into, told by names such as `model-00001-of-00002.safetensors`."""

import re
from collections.abc import Iterable
from itertools import count

_SHARD = re.compile(r"(?P<stem>.+-)(?P<number>\d+)-of-(?P<total>\d+)\.safetensors")


def missing_shard(names: Iterable[str]) -> str | None:
    """Name the first shard that others of these say there is; None if they are all there."""
    numbers: dict[tuple[str, str], set[int]] = {}
    for name in names:
        if found := _SHARD.fullmatch(name):
            numbers.setdefault((found["stem"], found["total"]), set()).add(int(found["number"]))
    for (stem, total), known in sorted(numbers.items()):
        if len(known) >= int(total):
            continue
        start = 0 if 0 in known else 1  # most count from 1
        first = next(number for number in count(start) if number not in known)
        if first < start + int(total):
            return f"{stem}{first:0{len(total)}}-of-{total}.safetensors"
    return None
