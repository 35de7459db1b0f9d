"""The web app's shell: one page, and files whose headers are part of the contract."""

import json
import re

import pytest

from frontend import shell
from frontend.dist import DIST


async def test_the_app_is_served_at_the_root_and_never_from_an_old_copy(async_client):
    response = await async_client.get("/")

    assert response.status_code == 200
    assert response["Content-Type"].startswith("text/html")
    assert response["Cache-Control"] == "no-cache"
    assert b'src="/assets/app.js"' in response.content


async def test_the_app_may_load_nothing_from_elsewhere(async_client):
    response = await async_client.get("/")

    policy = response["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "http" not in policy
    assert b"://" not in response.content


async def test_the_service_worker_is_always_asked_for_and_keeps_the_shell_alone(async_client):
    response = await async_client.get("/sw.js")

    assert response["Cache-Control"] == "no-store"
    assert response["Content-Type"].startswith("text/javascript")
    kept = "const SHELL = ['/', '/assets/app.js', '/assets/hljs.js', '/assets/hljs.css'];"
    assert kept in response.content.decode()


async def test_the_manifest_makes_the_app_installable(async_client):
    response = await async_client.get("/manifest.webmanifest")

    assert response["Cache-Control"] == "public, max-age=3600"
    manifest = json.loads(response.content)
    assert manifest["start_url"] == "/"
    for icon in manifest["icons"]:
        assert (DIST / icon["src"].removeprefix("/")).is_file()


@pytest.mark.parametrize("page", ["status", "chat", "quantize", "finetune", "dataset"])
async def test_old_addresses_lead_into_the_app(async_client, page):
    response = await async_client.get(f"/{page}")

    assert (response.status_code, response["Location"]) == (302, f"/#{page}")


@pytest.mark.parametrize("path", ["/", "/sw.js", "/manifest.webmanifest", "/status"])
async def test_its_pages_are_only_read(async_client, path):
    assert (await async_client.post(path)).status_code == 405


def test_every_file_that_the_page_names_was_built():
    html = (DIST / "index.html").read_text()

    named = set(re.findall(r'"/assets/([^"]+)"', html))
    assert {"app.js", "icon.svg"} <= named
    assert all((DIST / "assets" / name).is_file() for name in named)
    assert shell.LEGACY_PAGES


async def test_the_frame_of_previews_is_shut_in(async_client):
    response = await async_client.get("/preview")

    policy = response["Content-Security-Policy"]
    assert policy.startswith("sandbox allow-scripts; default-src 'none';")
    assert "frame-ancestors 'self'" in policy
    assert "connect-src" not in policy
