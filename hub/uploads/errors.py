"""What can go wrong between a folder of this machine and the Hugging Face Hub.

    HubError
    └── UploadError
        ├── NoToken          there is no token to write with
        ├── NoSource         no such folder, or one that holds nothing
        ├── UnsafeSource     the folder leads to files outside of it
        └── RefusedUpload    the Hub, or the way to it, did not take it; the text says why

Texts go to people over HTTP: one line, what to do. No text holds the token.
"""

from hub.errors import HubError


class UploadError(HubError):
    """An upload could not be started or finished."""


class NoToken(UploadError):
    """Nothing to show to the Hub."""

    def __init__(self) -> None:
        super().__init__(
            "no Hugging Face token is saved: save a write token in the settings, or set HF_TOKEN"
        )


class NoSource(UploadError):
    """There is nothing to upload."""


class UnsafeSource(UploadError):
    """Uploading would give away files that are not the folder's own."""


class RefusedUpload(UploadError):
    """The Hub said no, or could not be reached."""
