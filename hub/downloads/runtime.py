"""The one `Downloads` of this process: made when first asked for, stopped with the server."""

import threading

from django.conf import settings

from hub import library
from hub.downloads.downloads import Downloads
from hub.downloads.history import DownloadRows

_lock = threading.Lock()
_downloads: Downloads | None = None


def get_downloads() -> Downloads:
    """Return the downloads of this process."""
    global _downloads  # noqa: PLW0603
    with _lock:
        if _downloads is None:
            _downloads = Downloads(
                settings.HUB,
                settings.HF_TOKENS,
                on_done=library.forget,
                history=DownloadRows(),
            )
        return _downloads


def stop() -> None:
    """Cancel every download; what came stays, and the next start goes on from it."""
    global _downloads
    with _lock:
        stopped, _downloads = _downloads, None
    if stopped is not None:
        stopped.stop()
