"""What can go wrong with a quantization.

JobError
└── QuantizeError     the text says what, the limit, and what to do
    └── InvalidField  a field of the request is not what it can be
"""

from jobs.errors import JobError


class QuantizeError(JobError):
    """A model could not be quantized; nothing was left behind."""


class InvalidField(QuantizeError):
    """A field of the request has a wrong type or value."""
