"""What can go wrong with a run as a whole. A draft that fails is none of these.

SynthesisError
├── NoVault            there is nothing to write to
├── NoModel            nobody answers questions
├── AlreadyRunning     another run has the vault
└── Stopped            the run was told to end; the next one goes on
"""


class SynthesisError(Exception):
    """The root; its text is one sentence fit for the reader."""


class NoVault(SynthesisError):
    """There is no vault yet."""


class NoModel(SynthesisError):
    """No model answers, or it stopped answering."""


class AlreadyRunning(SynthesisError):
    """Another run is at work, in this process or another."""


class Stopped(SynthesisError):
    """Whoever asked for the run has left."""
