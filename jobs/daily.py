"""What a server does once a day: its consumer of jobs asks it to, at a time of day.

What is done stands behind a route of the server, which has the model; here is only the clock.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, time, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

LOCAL_TIME = Path("/etc/localtime")
OFF = "off"


@dataclass(frozen=True, slots=True)
class Daily:
    """name: for the log. at: by this machine's clock. path: of a route that streams its work."""

    name: str
    at: time
    path: str


class Due:
    """Tells when a time of day has come, once a day.

    A time that a sleeping machine missed counts when it wakes up. Thread: one.
    """

    def __init__(self, at: time, zone: tzinfo) -> None:
        self._at, self._zone = at, zone
        self._looked_at: datetime | None = None

    def __call__(self, now: datetime) -> bool:
        """now: in UTC, without a zone, as Huey tells it."""
        local = now.replace(tzinfo=UTC).astimezone(self._zone)
        before, self._looked_at = self._looked_at, local
        due = datetime.combine(local.date(), self._at, self._zone)
        return before is not None and before < due <= local


def read_time(text: str) -> time | None:
    """Return a time of day of `HH:MM`; None for `off`. Raises ValueError."""
    if text.strip().casefold() == OFF:
        return None
    return datetime.strptime(text.strip(), "%H:%M").time()


def local_zone() -> tzinfo:
    """Return this machine's time zone. Django has set that of the process to its own."""
    try:
        with LOCAL_TIME.open("rb") as file:
            return ZoneInfo.from_file(file)
    except (OSError, ValueError):
        return UTC
