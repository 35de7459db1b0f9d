"""Why a constraint has no grammar."""


class NotExpressible(ValueError):
    """A constraint that cannot be written as a grammar; its text is one clause for the caller."""
