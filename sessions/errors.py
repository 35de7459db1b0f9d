"""What can be wrong with a request for a session. The texts name no folder."""


class SessionError(Exception):
    """The root of them; its text is for the caller."""


class OutsideStore(SessionError):
    """A path leads out of the session directory."""

    def __init__(self) -> None:
        super().__init__("path must be under the session directory")


class SessionNotFound(SessionError):
    def __init__(self) -> None:
        super().__init__("session not found")


class EntryNotFound(SessionError):
    """A message is named that this session does not have."""

    def __init__(self) -> None:
        super().__init__("no such message in this session")


class AnsweredElsewhere(SessionError):
    """Somebody else has an answer under way in this session."""

    def __init__(self) -> None:
        super().__init__(
            "an answer is under way in another tab; wait for its end, or stop it there"
        )


class NotWritten(SessionError):
    """The disk refused a line; what stood in the file still does."""


class NotRead(SessionError):
    """The disk, or the system, refused to give what stands in a file that there is."""
