"""A network namespace of the process's own, in which there is no network.

It takes a user namespace, which some distributions let nobody make without privileges: then
`jobs.dataset.sandbox.linux.seccomp` alone keeps the process from the network.
"""

import contextlib

from jobs.dataset.sandbox.linux import system

CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWNET = 0x08000000, 0x10000000, 0x40000000


def leave_network() -> None:
    """Go where not even loopback is up, if the system lets us."""
    # Our user has no name there, and so no privilege either.
    with contextlib.suppress(OSError):
        system.unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC)
