"""The admin pages of jobs: searched, filtered, read, and jobs cancelled from them."""

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission, User
from django.utils import timezone

from jobs.log import LogWriter
from jobs.models import Job

LIST = "/django-admin/jobs/job/"


@pytest.fixture
def listed(admin_client):
    """The ids that a list shows."""

    def listed(**query):
        page = admin_client.get(LIST, query).content.decode()
        return set(re.findall(r'<th class="field-id"><a [^>]*>([^<]+)</a>', page))

    return listed


def test_jobs_are_searched_and_filtered(submit_fake, listed):
    one, two = submit_fake(["log", "needle"]), submit_fake(kind="fake_exclusive")

    assert listed() == {one.pk, two.pk}
    assert listed(q="needle") == {one.pk}
    assert listed(q=two.pk) == {two.pk}
    assert listed(kind="fake_exclusive") == {two.pk}
    assert listed(status__exact="running") == set()


def test_a_job_is_read_with_the_end_of_its_log(submit_fake, admin_client):
    job = submit_fake(option=7)
    with LogWriter(Path(job.log_path)) as log:
        log.append({"type": "log", "line": "<b>bold</b>"})
        log.append({"type": "failed", "error": "no rows"})

    page = admin_client.get(f"{LIST}{job.pk}/change/").content.decode()

    assert "&lt;b&gt;bold&lt;/b&gt;\nfailed: no rows" in page
    assert "&quot;option&quot;: 7" in page


def test_a_job_whose_log_is_gone_is_read_all_the_same(submit_fake, admin_client):
    job = submit_fake()
    Job.objects.update(log_path="/nowhere/log")

    assert admin_client.get(f"{LIST}{job.pk}/change/").status_code == 200


def test_jobs_are_cancelled_unless_they_are_over(submit_fake, admin_client):
    queued, over = submit_fake(), submit_fake()
    Job.objects.filter(pk=over.pk).update(status="done", ended_at=timezone.now())
    body = {"action": "cancel", "_selected_action": [queued.pk, over.pk]}

    first = admin_client.post(LIST, body, follow=True).content.decode()
    second = admin_client.post(LIST, body, follow=True).content.decode()

    assert f"Cancelled: {queued.pk}." in first
    assert "All of these are over already." in second
    found = dict(Job.objects.values_list("pk", "error"))
    assert found == {queued.pk: "cancelled", over.pk: None}


def test_who_may_only_look_cannot_cancel_or_change(submit_fake, client):
    job = submit_fake()
    viewer = User.objects.create_user("viewer", is_staff=True)
    viewer.user_permissions.add(Permission.objects.get(codename="view_job"))
    client.force_login(viewer)

    client.post(LIST, {"action": "cancel", "_selected_action": [job.pk]})

    job.refresh_from_db()
    assert job.status == "queued"
    assert client.get(f"{LIST}add/").status_code == 403
    assert client.post(f"{LIST}{job.pk}/delete/").status_code == 403
