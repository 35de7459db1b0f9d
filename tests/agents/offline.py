"""Takes the network from this process and its children, but for loopback. Linux only."""

import ctypes
import os
import socket
import struct
import sys
from pathlib import Path

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
SIOCSIFFLAGS = 0x8914
IFF_UP = 1


def leave_network():
    """Enter a network of our own; tell whether the system let us. Call it before any thread."""
    if sys.platform != "linux":
        return False
    user, group = os.getuid(), os.getgid()
    kinds = CLONE_NEWNET if user == 0 else CLONE_NEWNET | CLONE_NEWUSER
    if ctypes.CDLL(None).unshare(kinds) != 0:
        return False
    if user != 0:  # stay who we are
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    _bring_up_loopback()
    return True


def _bring_up_loopback():
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh14x", b"lo", IFF_UP)
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, request)
