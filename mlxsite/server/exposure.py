"""How far a server may be seen, decided from the address it listens on."""

from collections.abc import Sequence

from mlxsite.guard import GuardPolicy
from mlxsite.server import address


class ExposureRefused(Exception):
    """The server would be open to others without protection; the text says what to set."""


def policy_for(
    host: str,
    *,
    allowed_hosts: Sequence[str],
    trusted_origins: Sequence[str],
    api_keys: Sequence[str],
) -> GuardPolicy:
    """The guard's policy for a server on `host`.

    allowed_hosts: names accepted anyway; those that `host` implies are added.
    Raises ExposureRefused when `host` is reachable from other machines and no key is set.
    """
    if not address.is_loopback(host) and not api_keys:
        raise ExposureRefused(
            f"--host {host} can be reached from other machines; "
            "set MLXSITE_API_KEYS to the keys that clients must send, or use --host 127.0.0.1"
        )
    return GuardPolicy(
        allowed_hosts=(*allowed_hosts, *address.names(host)),
        any_address=address.is_wildcard(host),
        trusted_origins=frozenset(trusted_origins),
        api_keys=tuple(api_keys),
    )
