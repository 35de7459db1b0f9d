"""Who may talk to this server: checked once, in front of everything.

A server on loopback is reachable by every web page its owner visits. Three rules close
that door without tokens or cookies, and let curl and SDK clients through:

1. Host must be a name this server goes by, on reads too (a page that rebinds its own
   domain to 127.0.0.1 still sends its own name).
2. A write, or a WebSocket, started by a browser must come from this very host and port
   (the Fetch-metadata rule, as in Go's http.CrossOriginProtection).
3. Bodies of API writes are JSON by their Content-Type, which a browser never sends across
   sites without asking first.

API keys, when set, come last; a browser that signed in sends a cookie in their place. `decide` is a
pure function of policy and request; `Guard` is the ASGI application around it, in front of static
files and sockets as well as Django.
"""

import hmac
import ipaddress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from django.http.request import split_domain_port, validate_host

from mlxsite.middleware import ADMIN_PREFIX
from mlxsite.replies import Asgi, Receive, Refusal, Scope, Send, refuse
from mlxsite.sign_in import has_token

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
API_PREFIXES = ("/v1/", "/api/")
# Pages of any origin may call these, a promise of the curve designer's; they change nothing.
SHARED_PATHS = frozenset({"/signal", "/generate"})
# Reads that act: an image's address on a page of another site must not begin them.
ACTING_READS = frozenset({"/v1/memory/synthesize"})
# What answers without a key: health for supervisors, pages that a browser opens before it can send
# one, with their files (no secret is in them, and the page of the API asks for a key itself), and
# the admin pages, which ask for a password. `/api/session` is where a key is handed in.
OPEN_PATHS = frozenset(
    {
        *("/", "/chat", "/quantize", "/finetune", "/dataset", "/status"),
        *("/connect", "/curves", "/dag", "/health", "/preview", "/manifest.webmanifest", "/sw.js"),
        *("/api/docs", "/api/openapi.json", "/api/session"),
    }
)
OPEN_FILES = frozenset({ADMIN_PREFIX.rstrip("/")})
OPEN_PREFIXES = ("/assets/", "/static/", ADMIN_PREFIX)


@dataclass(frozen=True, slots=True)
class GuardPolicy:
    """What the guard allows.

    allowed_hosts: names as in Django's ALLOWED_HOSTS.
    any_address: accept every IP address as Host too. Safe when listening on all interfaces,
        since rebinding attacks carry a domain name.
    trusted_origins: further origins ("https://app.example") whose pages may write.
    api_keys: when not empty, callers must send one of them.
    """

    allowed_hosts: tuple[str, ...]
    any_address: bool = False
    trusted_origins: frozenset[str] = frozenset()
    api_keys: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Request:
    """The facts a decision rests on; header names are lower-case, values as sent."""

    method: str
    path: str
    headers: dict[str, str]
    is_websocket: bool = False


def decide(policy: GuardPolicy, request: Request) -> Refusal | None:
    """Return why `request` is refused, or None to let it pass."""
    host = request.headers.get("host", "")
    if not _host_allowed(policy, host):
        return Refusal(403, "Host header not allowed", "host_not_allowed")
    if request.is_websocket:
        if not _origin_allowed(policy, request.headers.get("origin"), host):
            return Refusal(403, "cross-site browser request refused", "cross_site")
    elif (is_write := request.method not in SAFE_METHODS) or request.path in ACTING_READS:
        is_shared = request.path in SHARED_PATHS
        if not is_shared and _is_cross_site(policy, request.headers, host):
            return Refusal(403, "cross-site browser request refused", "cross_site")
        is_api = request.path.startswith(API_PREFIXES)
        if is_write and is_api and not _body_is_json(request.headers):
            return Refusal(415, "Content-Type must be application/json", "unsupported_media_type")
    if request.method == "OPTIONS" and request.path in SHARED_PATHS:
        return None  # a preflight carries no key
    if policy.api_keys and not _is_open(request.path) and not _has_key(policy, request.headers):
        return Refusal(
            401,
            "missing or incorrect API key; send it as 'Authorization: Bearer <key>' or 'x-api-key'",
            "invalid_api_key",
            headers=((b"www-authenticate", b"Bearer"),),
        )
    return None


def _host_allowed(policy: GuardPolicy, host: str) -> bool:
    domain, _port = split_domain_port(host)
    if not domain:
        return False
    if validate_host(domain, list(policy.allowed_hosts)):
        return True
    if not policy.any_address:
        return False
    try:
        ipaddress.ip_address(domain.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


def _is_cross_site(policy: GuardPolicy, headers: dict[str, str], host: str) -> bool:
    origin = headers.get("origin")
    if origin in policy.trusted_origins:
        return False
    if (site := headers.get("sec-fetch-site")) is not None:
        return site not in ("same-origin", "none")
    return not _origin_allowed(policy, origin, host)


def _origin_allowed(policy: GuardPolicy, origin: str | None, host: str) -> bool:
    """Whether a page of `origin` is this server's own. Programs send no Origin: None passes."""
    if origin is None or origin in policy.trusted_origins:
        return True
    try:
        netloc = urlsplit(origin).netloc
    except ValueError:
        return False
    return netloc.lower() == host.lower()


def _body_is_json(headers: dict[str, str]) -> bool:
    if headers.get("content-length", "0") == "0" and "transfer-encoding" not in headers:
        return True
    media_type = headers.get("content-type", "").split(";")[0].strip().lower()
    return media_type == "application/json"


def _is_open(path: str) -> bool:
    return path in OPEN_PATHS | OPEN_FILES or path.startswith(OPEN_PREFIXES)


def _has_key(policy: GuardPolicy, headers: dict[str, str]) -> bool:
    scheme, _, credentials = headers.get("authorization", "").partition(" ")
    sent = [headers.get("x-api-key", ""), credentials if scheme.lower() == "bearer" else ""]
    # Every pair is compared, each in constant time: timing tells nothing about a key.
    matches = [
        hmac.compare_digest(candidate.strip().encode(), key.encode())
        for candidate in sent
        for key in policy.api_keys
    ]
    return any(matches) or has_token(headers.get("cookie", ""), policy.api_keys)


class Guard:
    """ASGI application that lets `inner` see only what `decide` passes."""

    def __init__(self, inner: Asgi, policy: GuardPolicy) -> None:
        self.inner = inner
        self.policy = policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Daphne takes the root path from a request header. Django would cut it off the path
        # after this decision: "/static/v1/models" below "/static" must not become "/v1/models".
        scope["root_path"] = ""
        refusal = decide(self.policy, read_request(scope))
        if refusal is None:
            await self.inner(scope, receive, send)
        else:
            await refuse(refusal, scope, send)


def read_request(scope: Scope) -> Request:
    """The facts of an HTTP or WebSocket scope; a repeated header is joined by a comma.

    Joined values match no single allowed one, so a doubled Host or Origin is refused.
    """
    headers: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin1").lower(), raw_value.decode("latin1")
        headers[name] = f"{headers[name]},{value}" if name in headers else value
    return Request(
        method=scope.get("method", "GET"),
        path=scope["path"],
        headers=headers,
        is_websocket=scope["type"] == "websocket",
    )
