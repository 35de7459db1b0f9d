"""One consumer for each machine; the rest of it is tried with real processes."""

import pytest
from django.core.management import CommandError, call_command

from jobs.consumer import BUSY_STATUS
from jobs.recovery import consumer_lock


@pytest.mark.django_db
@pytest.mark.usefixtures("jobs_config")
def test_a_second_consumer_is_refused():
    with consumer_lock() as lock:
        assert lock.acquire()

        with pytest.raises(CommandError, match="another consumer runs the jobs") as refusal:
            call_command("run_huey")

    assert refusal.value.returncode == BUSY_STATUS
