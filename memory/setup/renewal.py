"""Brings pages up to date that are still as an earlier version of the program made them.

What the program reads of such a page may have changed with it, and the user has said nothing else.
"""

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from memory.errors import ChangedMeanwhile
from memory.placing import draft_of, place_over
from memory.vault import blob_hash

SHIPPED = {
    "README.md": ("d0c7198b0f4c07fa72d732a896b7e4ad991995ce",),
    "gitignore.txt": ("b87551f82c7b59c58a21fcd9a99e2b8ae3c1513b",),
    "Article_Conventions.md": (
        "6cc2afc83d0507d92e11bacbe9e5338fe8883d6a",
        "633cf76586d755a9adbd8757f4c25e179b70e1e3",
    ),
    "Bucketing.md": ("e5789254041cacd93e4086b37cfd44bdf955ef10",),
    "Buckets.md": ("b6d8dddc768c9c08fe515a86339fde0b3a9df5de",),
    "Category_Definitions.md": ("4232b6c5907e2416be0af2ba6a7d19264b4aade7",),
    "Chunking.md": ("116efe80c5a8aae01b0e3409183754e6712d129c",),
    "Editorial_Guidelines.md": (
        "3c87bec40880858f9f568b733d7fde1c4046a80d",
        "24f395b73970a8825d17be1039a39146577eee96",
    ),
    "Entities.md": ("7573ae9f7faa0e399dcddc5a32a9dfd507d6c3a0",),
    "Infobox_Schemas.md": (
        "35d322f3e4326df526e5de0493a6bce267c9f202",
        "41db00ef1a773a2e4b4175ed06ae43bbf4ba6390",
    ),
    "Summary_Style.md": ("f82aeaf03895393e10dfb85ddff34ff1e4e6ea2b",),
    "Topics_to_Ignore.md": ("a00ebcb4a633e5020af86678758d050224e40f7f",),
}
"""The blob hashes of each page in all versions, oldest first; a page that changes gets a line."""


def page_bytes(source: str) -> bytes:
    return (files("memory.setup") / "pages" / source).read_bytes()


def renew(root: Path, pages: Mapping[str, str]) -> list[str]:
    """Replace the pages that nobody has edited; returns their paths. Raises OSError.

    pages: the source of each page, by its path below the root. The lock is the caller's.
    """
    return [path for path, source in pages.items() if _renew(root / path, source)]


def _renew(path: Path, source: str) -> bool:
    try:
        known = "" if path.is_symlink() else blob_hash(path.read_bytes())
    except OSError:  # it has gone, or may not be read
        return False
    if known not in SHIPPED[source][:-1]:
        return False
    with draft_of(path, page_bytes(source)) as draft:
        try:
            place_over(draft, path, known)
        except ChangedMeanwhile:
            return False
    return True
