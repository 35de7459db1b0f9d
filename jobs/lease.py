"""The right to use the accelerator alone, as a consumer sees it.

Beside a server it is the server's to give, since the model that it serves is on the same
accelerator; `jobs.server_link` asks it. A consumer on a machine of its own needs nobody's leave.
"""

from typing import Protocol


class Lease(Protocol):
    """Thread: any."""

    def ask(self, job_id: str) -> None:
        """Get in line for the accelerator."""

    def wait(self, job_id: str, seconds: float) -> bool:
        """Return whether it is granted, after `seconds` at most."""

    def give_back(self, job_id: str) -> None:
        """End the lease, or leave the line."""


class Unleased:
    """For a consumer that shares the accelerator with nobody."""

    def ask(self, job_id: str) -> None:
        pass

    def wait(self, job_id: str, seconds: float) -> bool:
        return True

    def give_back(self, job_id: str) -> None:
        pass
