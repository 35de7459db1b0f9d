"""Begins the trace of a request, if the operator has asked for traces."""

import sys

from django.conf import settings
from django.http import HttpRequest

from inference.trace import Trace

# The first that is sent names the trace; the second is what clients of mlx-bun send.
HEADERS = ("x-mlxsite-trace-id", "x-mlx-bun-trace-id")
LONGEST_ID = 200  # characters


def begin_trace(request: HttpRequest, request_id: str) -> Trace | None:
    """Return a trace that begins now, or None where the server does not trace.

    request_id: as on the wire; names the trace of a caller that names none.
    """
    if not settings.P2R_TRACE:
        return None
    return Trace(
        trace_id=_caller_id(request) or request_id,
        request_id=request_id,
        route=request.path,
        write=sys.stderr.write,
    )


def _caller_id(request: HttpRequest) -> str:
    """Return the caller's name for the request, without what does not belong in a name."""
    sent = next((value for name in HEADERS if (value := request.headers.get(name))), "")
    return "".join(filter(str.isprintable, sent)).strip()[:LONGEST_ID]
