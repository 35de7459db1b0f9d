"""The server's settings with a fake kind of job, and a route that submits any."""

from jobs.kinds import KINDS, Kind
from mlxsite.settings import *  # noqa: F403

KINDS["fake"] = Kind(run="tests.plugins.fake_job", exclusive=False)
KINDS["fake_exclusive"] = Kind(run="tests.plugins.fake_job", exclusive=True)
ROOT_URLCONF = "tests.plugins.job_server_urls"
