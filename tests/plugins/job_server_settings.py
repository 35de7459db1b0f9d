"""The server's settings with a fake kind of job, and a route that submits any."""

import os
import sys

from jobs.kinds import KINDS, Kind
from mlxsite.settings import *  # noqa: F403

KINDS["fake"] = Kind(run="tests.plugins.fake_job", exclusive=False)
KINDS["fake_exclusive"] = Kind(run="tests.plugins.fake_job", exclusive=True)
ROOT_URLCONF = "tests.plugins.job_server_urls"
if "run_huey" in sys.argv or sys.argv[0].endswith("jobs/__main__.py"):
    # Processes of fake jobs need no more.
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.plugins.bare_settings"
