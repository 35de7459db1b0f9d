"""Whether the files of a listing make a whole model, as far as its own index tells."""

import json
from pathlib import Path, PurePosixPath

from hub.downloads.errors import NotAModel
from hub.downloads.listing import Listing, RemoteFile

SUFFIX = ".safetensors.index.json"


def is_index(file: RemoteFile) -> bool:
    """Whether the file names the shards of a model's weights."""
    return file.path.endswith(SUFFIX)


def require_shards(listing: Listing, index: RemoteFile, content: Path) -> None:
    """Raise NotAModel if `index`, whose text is at `content`, names a file that is not listed."""
    folder = PurePosixPath(index.path).parent
    named = {str(folder / name) for name in _shards(content)}
    if missing := named - {file.path for file in listing.files}:
        raise NotAModel(
            f"{listing.repo_id} is not complete on the Hub: "
            f"its {index.path} names {min(missing)}, which is not there"
        )


def _shards(index: Path) -> set[str]:
    try:
        names = json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()
        return {str(name) for name in names}
    except (ValueError, KeyError, TypeError, AttributeError):
        return set()  # not an index; whoever loads the model says so better
