"""The map of the server: its page, and that it tells of files that are there."""

import json
from itertools import pairwise

import pytest

from frontend.dist import SOURCES

ROOT = SOURCES.parents[1]
MAPS = ("inference", "training")


def read(name):
    path = ROOT / "frontend" / "static" / "frontend" / "dag" / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8"))


async def test_the_page_is_there_for_whoever_looks(async_client):
    """The web app asks by HEAD whether to show it."""
    head = await async_client.head("/dag")

    assert (head.status_code, head.content) == (200, b"")
    assert head["Cache-Control"] == "no-store"
    assert (await async_client.post("/dag")).status_code == 405


async def test_the_page_loads_from_here_alone_and_only_the_app_frames_it(async_client):
    response = await async_client.get("/dag")

    policy = response["Content-Security-Policy"]
    assert policy.startswith("default-src 'none';")
    assert policy.endswith("frame-ancestors 'self'")
    assert "://" not in response.content.decode() + policy


@pytest.mark.parametrize("name", MAPS)
def test_every_step_names_a_file_of_the_source(name):
    missing = [step["file"] for step in read(name)["steps"] if not (ROOT / step["file"]).is_file()]

    assert missing == []


@pytest.mark.parametrize("name", MAPS)
def test_every_step_is_on_a_way_and_has_a_place_of_its_own(name):
    told = read(name)
    ids = [step["id"] for step in told["steps"]]
    places = sorted((step["lane"], step["row"]) for step in told["steps"])

    ends = {way[end] for way in told["ways"] for end in ("from", "to")}
    assert ends == set(ids)
    assert all(one != other for one, other in pairwise(places))
    assert {lane for lane, _row in places} == set(range(len(told["lanes"])))


@pytest.mark.parametrize("name", MAPS)
def test_every_decision_says_what_happens_otherwise(name):
    steps = read(name)["steps"]

    assert [s["id"] for s in steps if (s["kind"] == "choice") != bool(s.get("else"))] == []
