"""Fetches pages of the public web, and of nothing else.

A model may be talked into fetching addresses of the user's own network, so every address is
looked at before it is connected to, on each step of a redirect, and the connection goes to the
very address that was looked at.
"""

import asyncio
import ipaddress
import socket
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

import httpx2

from sessions.tools.base import ToolFailed

SECONDS = 10.0
MOST_BYTES = 5 * 2**20
MOST_REDIRECTS = 5
# Where a gateway puts IPv4 addresses, public ones as well as those of its own network.
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
# What Python holds for public though it leads to no host of the internet, or to one in disguise.
_NOT_PUBLIC = [
    ipaddress.IPv6Network(network)
    for network in ("::/96", "::ffff:0:0:0/96", "64:ff9b:1::/48", "fec0::/10")
]
_AGENT = "mlxsite (a private assistant)"


@dataclass(frozen=True, slots=True)
class Fetched:
    url: str
    content_type: str
    body: bytes
    cut: bool


class Fetcher:
    """allow_private: fetch from private addresses too; for tests and for who knows why."""

    def __init__(self, *, allow_private: bool = False) -> None:
        self._allow_private = allow_private

    async def fetch(self, url: str, *, seconds: float = SECONDS) -> Fetched:
        """Return what an address holds; raises ToolFailed with the reason."""
        try:
            async with asyncio.timeout(seconds):
                return await self._follow(url)
        except TimeoutError as error:
            raise ToolFailed(f"{url} did not answer within {seconds:g} s") from error
        except httpx2.HTTPError as error:
            raise ToolFailed(f"{url} cannot be fetched ({type(error).__name__})") from error

    async def _follow(self, url: str) -> Fetched:
        # Through a proxy of the environment, nobody would know who was connected to.
        async with httpx2.AsyncClient(trust_env=False) as client:
            for _ in range(MOST_REDIRECTS + 1):
                response = await client.send(await self._vet(url), stream=True)
                if response.is_redirect:
                    await response.aclose()
                    url = _joined(url, response.headers.get("location", ""))
                    continue
                if response.status_code >= 400:
                    raise ToolFailed(f"{url} answered {response.status_code}")
                body, cut = await _read(response)
                kind = response.headers.get("content-type", "")
                return Fetched(url, kind.partition(";")[0].strip().lower(), body, cut)
        raise ToolFailed(f"{url} redirects more than {MOST_REDIRECTS} times")

    async def _vet(self, url: str) -> httpx2.Request:
        """Look at an address; returns a request that goes to it, and to no other."""
        try:
            parts = urlsplit(url)
            host = _ascii(parts.hostname or "")
        except ValueError as error:  # UnicodeError is one
            raise ToolFailed(f"{url[:200]!r} is no http or https address") from error
        if parts.scheme not in ("http", "https") or not host:
            raise ToolFailed(f"{url[:200]!r} is no http or https address")
        try:
            port = parts.port or (443 if parts.scheme == "https" else 80)
        except ValueError as error:
            raise ToolFailed(f"{url[:200]!r} has no valid port") from error
        address = await self._resolve(host, port)
        at = f"[{address}]" if ":" in address else address
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        name = f"[{host}]" if ":" in host else host
        return httpx2.Request(
            "GET",
            f"{parts.scheme}://{at}:{port}{path}",
            headers={
                "Host": name if parts.port is None else f"{name}:{port}",
                "User-Agent": _AGENT,
            },
            # The certificate is that of the name, not of the number.
            extensions={"sni_hostname": host},
        )

    async def _resolve(self, host: str, port: int) -> str:
        loop = asyncio.get_running_loop()
        try:
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:  # such as a label that is empty or too long
            raise ToolFailed(f"{host[:200]} is not known") from error
        addresses = [str(entry[4][0]).partition("%")[0] for entry in found]
        # One private address among public ones is a trick, not a mirror.
        if not self._allow_private and not all(map(_is_public, addresses)):
            raise ToolFailed(f"{host} is an address of a private network, and is not fetched")
        return addresses[0]


def _joined(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError as error:
        raise ToolFailed(f"{url} redirects to {location[:200]!r}, which is no address") from error


def _ascii(host: str) -> str:
    """Spell a name as the domain name system does; raises UnicodeError."""
    return host if host.isascii() else host.encode("idna").decode("ascii")


def _is_public(address: str) -> bool:
    ip = ipaddress.ip_address(address)
    if not ip.is_global or ip.is_multicast:
        return False
    if ip.version == 4:
        return True
    if any(ip in network for network in _NOT_PUBLIC):
        return False
    inner = ip.ipv4_mapped or ip.sixtofour
    if ip in _NAT64:
        inner = ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF)
    return inner is None or _is_public(str(inner))


async def _read(response: httpx2.Response) -> tuple[bytes, bool]:
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > MOST_BYTES:
            return bytes(body[:MOST_BYTES]), True
    return bytes(body), False
