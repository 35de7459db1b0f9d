"""What can go wrong with building a dataset.

JobError
└── DatasetError        no dataset came of it; the text says why, and what to do
    ├── UnknownTemplate no template has this id
    ├── InvalidInput    an input is missing, or is not what its field takes
    └── ServerRefused   the server will answer no call of this job
CallFailed              one call of many; it is counted, and the job goes on
"""

from jobs.errors import JobError


class DatasetError(JobError):
    """A dataset could not be built; nothing was left behind."""


class UnknownTemplate(DatasetError):
    """The request names a template that there is not."""


class InvalidInput(DatasetError):
    """An input does not fit its field."""


class ServerRefused(DatasetError):
    """Asking again, or asking something else, would change nothing."""


class CallFailed(Exception):
    """The model gave no usable answer to one question."""
