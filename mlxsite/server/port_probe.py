"""Whether a port is free, asked before minutes go into loading weights."""

import errno
import socket

from mlxsite.server import address

CONNECT_TIMEOUT = 0.5  # seconds; an answer on this machine takes microseconds


class PortUnavailable(Exception):
    """The server cannot listen there; the text says why and what to do."""


def require_free(host: str, port: int) -> None:
    """Return when a server could listen on `host`:`port`; raise PortUnavailable otherwise.

    Connects first: some systems let a second server bind beside one on all interfaces.
    """
    if _answers(address.reachable(host), port):
        raise PortUnavailable(
            f"something already answers on {address.base_url(host, port)}; "
            "stop it, or choose another port with --port"
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            # As the server does: a socket in TIME_WAIT is no obstacle.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError as error:
        raise PortUnavailable(_reason(host, port, error)) from error


def _answers(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), CONNECT_TIMEOUT).close()
    except OSError:
        return False
    return True


def _reason(host: str, port: int, error: OSError) -> str:
    where = f"{address.bracketed(host)}:{port}"
    if error.errno == errno.EADDRINUSE:
        return f"{where} is in use; choose another port with --port"
    if error.errno == errno.EACCES:
        return f"no permission to listen on {where}; choose a port above 1023 with --port"
    if error.errno == errno.EADDRNOTAVAIL or isinstance(error, socket.gaierror):
        return f"this machine has no address {host}; correct --host"
    return f"cannot listen on {where}: {error.strerror or error}"
