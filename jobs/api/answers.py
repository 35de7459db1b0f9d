"""The form of answers of the jobs' routes: that of the hub's, `ok` and what goes with it."""

from django.http import HttpRequest, JsonResponse

from hub.api.answers import BadRequest, failure, success
from jobs.errors import JobError, QueueFailed

__all__ = ["BadRequest", "failure", "job_error", "success"]


def job_error(request: HttpRequest, error: JobError) -> JsonResponse:
    """Word a domain error that a route raised: its text is meant for the caller."""
    if isinstance(error, QueueFailed):
        return failure(503, str(error))
    return failure(400, str(error))
