"""What a listening address means: who can reach it, and how clients call it."""

import ipaddress
import socket


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server on `host`. Unknown names count as no."""
    if host.lower() == "localhost":
        return True
    address = _address(host)
    return address is not None and address.is_loopback


def is_wildcard(host: str) -> bool:
    """Whether `host` means every interface of the machine (0.0.0.0 or ::)."""
    address = _address(host)
    return address is not None and address.is_unspecified


def base_url(host: str, port: int) -> str:
    """The URL a client on this machine uses for a server on `host`."""
    return f"http://{bracketed(reachable(host))}:{port}"


def reachable(host: str) -> str:
    """An address to connect to for a server on `host`: a wildcard is no destination."""
    address = _address(host)
    if address is None or not address.is_unspecified:
        return host
    return "127.0.0.1" if address.version == 4 else "::1"


def bracketed(host: str) -> str:
    """`host` as it stands in a URL and in a Host header."""
    return f"[{host}]" if ":" in host else host


def names(host: str) -> list[str]:
    """Names, beside loopback's, by which clients call a server that listens on `host`."""
    if is_loopback(host):
        return [bracketed(host)]
    if not is_wildcard(host):
        return [bracketed(host).lower()]
    machine = socket.gethostname().lower()
    return [machine] if machine.endswith(".local") else [machine, f"{machine}.local"]


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
