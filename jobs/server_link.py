"""The socket between a server and its consumer of jobs: who leases the accelerator, and when to
stop. It ends with either of them, so nothing outlives the other.

    consumer to server    lease JOB      the job wants the accelerator
                          release JOB    it does not, or not any more
    server to consumer    granted JOB    no answer is being generated, and none will be
                          stop           end the jobs, say so in their rows, and exit

An end without `stop` means that the server is dead: the next one will settle the rows.
"""

import contextlib
import socket
import threading
from collections.abc import Callable

LEASE, RELEASE, GRANTED, STOP = "lease", "release", "granted", "stop"


class ServerLink:
    """The consumer's end, which is its `jobs.lease.Lease` as well. Thread: any.

    on_end: called once, on a thread of its own, with whether the server said `stop`.
    """

    def __init__(self, connection: socket.socket, on_end: Callable[[bool], None]) -> None:
        self._connection = connection
        self._on_end = on_end
        self._lock = threading.Lock()
        self._granted: dict[str, threading.Event] = {}
        threading.Thread(target=self._listen, name="server-link", daemon=True).start()

    def ask(self, job_id: str) -> None:
        self._granted[job_id] = threading.Event()
        self._send(LEASE, job_id)

    def wait(self, job_id: str, seconds: float) -> bool:
        return self._granted[job_id].wait(seconds)

    def give_back(self, job_id: str) -> None:
        del self._granted[job_id]
        self._send(RELEASE, job_id)

    def _send(self, *words: str) -> None:
        # A server that is gone leases nothing; `_listen` notices.
        with contextlib.suppress(OSError), self._lock:
            self._connection.sendall(" ".join(words).encode() + b"\n")

    def _listen(self) -> None:
        stop = False
        with contextlib.suppress(OSError), self._connection.makefile(encoding="utf-8") as lines:
            for line in lines:
                match line.split():
                    case ["granted", job_id] if granted := self._granted.get(job_id):
                        granted.set()
                    case ["stop"]:
                        stop = True
                        break
        self._on_end(stop)
