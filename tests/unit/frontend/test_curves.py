"""The curve designer's page, and the place of a picture that somebody else makes."""

import pytest


async def test_the_page_is_never_kept(async_client):
    response = await async_client.get("/curves")

    assert response.status_code == 200
    assert response["Cache-Control"] == "no-store"
    assert response["Content-Type"].startswith("text/html")


async def test_the_page_loads_from_here_alone_and_asks_no_other_machine(async_client):
    response = await async_client.get("/curves")

    policy = dict(part.split(" ", 1) for part in response["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == "'self'"
    assert policy["connect-src"] == "'self' http://127.0.0.1:* http://localhost:*"
    assert b"://" not in response.content


async def test_without_a_picture_of_a_sweep_there_is_none(async_client, settings, tmp_path):
    settings.STATE_DIR = tmp_path

    response = await async_client.get("/curve-terrain")

    assert response.status_code == 404
    assert response.json() == {"error": {"message": "not found"}}


async def test_a_picture_of_a_sweep_is_shown_shut_in(async_client, settings, tmp_path):
    settings.STATE_DIR = tmp_path
    (tmp_path / "curve-terrain.html").write_text("<h1>Terrain</h1>")

    response = await async_client.get("/curve-terrain")

    assert response.content == b"<h1>Terrain</h1>"
    assert response["Cache-Control"] == "no-store"
    policy = response["Content-Security-Policy"]
    assert policy.startswith("sandbox allow-scripts; default-src 'none';")
    assert "connect-src" not in policy


@pytest.mark.parametrize("path", ["/curves", "/curve-terrain"])
async def test_its_pages_are_only_read(async_client, path):
    assert (await async_client.post(path)).status_code == 405
