"""The admin pages in a browser, from the real server, on a machine whose API needs a key."""

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

from tests.plugins.fake_hub import FakeHub
from tests.plugins.five_models import CASES
from tests.plugins.hub_model import REPO_ID, SHARD_2, model_files
from tests.plugins.hub_settings import until
from tests.plugins.server import ROOT, spawn, stop

NAME, PASSWORD, KEY = "owner", "correct horse", "sesame"
ADMIN = "/django-admin/"
MODELS, DOWNLOADS = f"{ADMIN}hub/localmodelrow/", f"{ADMIN}hub/downloadrecord/"
PAGES = (ADMIN, MODELS, DOWNLOADS, f"{ADMIN}hub/decoderate/", f"{ADMIN}server/")

pytestmark = [pytest.mark.slow, pytest.mark.browser]


@pytest.fixture(scope="module")
def hub():
    hub = FakeHub()
    hub.add(REPO_ID, model_files())
    yield hub
    hub.stop()


@pytest.fixture(scope="module")
def site(tmp_path_factory, hub):
    """URL of a server with two models and a user, its database made by its own start."""
    folder = tmp_path_factory.mktemp("admin")
    for name in ("dense", "sliding"):
        CASES[name].write(folder / "cache" / "models" / "org" / name)
    env = {
        "MLXSITE_API_KEYS": KEY,
        "MLXSITE_CACHE_DIR": str(folder / "cache"),
        "HF_ENDPOINT": hub.url,
        "HF_HUB_CACHE": str(folder / "hf"),
    }
    server = spawn(folder, "--scripted", env=env)
    server.wait_until_ready()
    subprocess.run(
        [sys.executable, "manage.py", "createsuperuser", "--noinput", "--username", NAME],
        cwd=ROOT,
        env={
            **os.environ,
            **env,
            "MLXSITE_STATE_DIR": str(folder / "state"),
            "DJANGO_SUPERUSER_EMAIL": "owner@example.org",
            "DJANGO_SUPERUSER_PASSWORD": PASSWORD,
        },
        check=True,
        capture_output=True,
    )
    yield server.url
    stop(server)


@pytest.fixture(scope="module")
def browser(chromium):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def cookies(browser, site):
    """What the browser keeps after a login."""
    page = browser.new_page()
    page.goto(f"{site}{ADMIN}")
    page.fill("[name=username]", NAME)
    page.fill("[name=password]", PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.get_by_text("Welcome, owner").wait_for()
    kept = page.context.cookies()
    page.close()
    return kept


@pytest.fixture
def open_page(browser, site, cookies):
    """Call with a path, a width and a colour scheme; nothing may go wrong on the page."""
    problems, contexts = [], []

    def open_page(path, width=1280, scheme="light"):
        size = {"width": width, "height": 800}
        context = browser.new_context(viewport=size, color_scheme=scheme)
        context.add_cookies(cookies)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda m: m.type in ("error", "warning") and problems.append(m.text))
        page.on("request", lambda r: r.url.startswith(site) or problems.append(r.url))
        page.goto(site + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


def names(page):
    return page.locator("#result_list th.field-repo_id").all_inner_texts()


def status(url, **headers):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
            return answer.status, answer.headers
    except urllib.error.HTTPError as error:
        return error.code, error.headers


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_fits_the_screen_and_takes_its_colours(open_page, site, width, scheme):
    page = open_page(ADMIN, width, scheme)

    for path in PAGES:
        page.goto(site + path)
        assert page.evaluate("document.documentElement.scrollWidth") == width, path
        assert page.locator("h1").count() == 1
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == ("rgb(21, 22, 20)" if scheme == "dark" else "rgb(255, 255, 255)")


def test_the_index_leads_to_what_the_server_keeps(open_page):
    page = open_page(ADMIN)

    groups = page.locator("#content-main caption").all_inner_texts()
    assert [name.upper() for name in groups][:1] == ["MODELS"]
    assert [name.upper() for name in groups][-2:] == ["SERVER", "AUTHENTICATION AND AUTHORIZATION"]
    page.get_by_role("link", name="This server").click()
    page.get_by_role("heading", name="Options in force").wait_for()
    assert KEY not in page.content()


def test_models_are_searched_filtered_and_read_but_not_edited(open_page):
    page = open_page(MODELS)
    assert names(page) == ["org/dense", "org/sliding"]

    page.locator("#searchbar").fill("SLID")
    page.get_by_role("button", name="Search").click()
    page.get_by_text("1 result").wait_for()
    assert names(page) == ["org/sliding"]

    page.locator("#changelist-filter").get_by_role("link", name="llama").click()
    page.get_by_text("0 results").wait_for()

    page.get_by_role("link", name="2 total").click()
    page.get_by_role("link", name="org/dense").click()
    page.get_by_text("4.50 GB").wait_for()
    assert page.get_by_role("button", name="Save").count() == 0
    assert page.locator("#content-main input:not([type=hidden])").count() == 0


def test_a_download_is_watched_cancelled_and_remembered(open_page, site, hub):
    fault = hub.fail(SHARD_2, hold_at=150_000)
    urllib.request.urlopen(
        urllib.request.Request(
            f"{site}/api/hub/download",
            json.dumps({"repo": REPO_ID}).encode(),
            {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"},
        )
    ).close()
    until(fault.held.is_set)
    page = open_page(DOWNLOADS)
    assert names(page) == [REPO_ID]
    assert page.locator(".field-state").inner_text() == "Active"
    assert "%)" in page.locator(".field-progress").inner_text()

    page.locator("#result_list tbody .action-select").check()
    page.locator("select[name=action]").select_option("cancel")
    page.get_by_role("button", name="Go").click()
    page.get_by_text(f"Cancelled: {REPO_ID}.").wait_for()
    fault.release.set()

    def is_cancelled():
        page.reload()
        return page.locator(".field-state").inner_text() == "Cancelled"

    until(is_cancelled)
    assert "goes on where it stopped" in page.locator(".field-error").inner_text()


@pytest.mark.parametrize(
    ("path", "media_type"),
    [
        ("/static/admin/css/base.css", "text/css"),
        ("/static/admin/js/theme.js", "text/javascript"),
        ("/static/mlxsite/admin.css", "text/css"),
        ("/static/admin/img/icon-yes.svg", "image/svg+xml"),
    ],
)
def test_styles_and_scripts_are_typed_and_asked_for_again_only_if_changed(site, path, media_type):
    code, headers = status(site + path)
    again, _ = status(site + path, **{"If-Modified-Since": headers["Last-Modified"]})

    assert (code, again) == (200, 304)
    assert headers["Content-Type"].partition(";")[0] == media_type
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_pages_ask_for_a_password_and_the_api_for_a_key(site):
    assert status(f"{site}{ADMIN}login/")[0] == 200
    assert status(f"{site}/api/docs")[0] == 200
    assert status(f"{site}/v1/models")[0] == 401
    assert status(f"{site}/v1/models", Authorization=f"Bearer {KEY}")[0] == 200


def test_cookies_stay_among_the_admin_pages(cookies):
    paths = {cookie["name"]: cookie["path"] for cookie in cookies}

    assert paths == {"mlxsite_session": ADMIN, "mlxsite_csrf": ADMIN}
