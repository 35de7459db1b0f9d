"""The web app of a server with API keys: it asks for one, and works with what it is given."""

import pytest
from playwright.sync_api import expect

from tests.plugins.server import spawn, stop

pytestmark = [pytest.mark.slow, pytest.mark.browser]


@pytest.fixture(scope="module")
def app_server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("keyed")
    keys = {"MLXSITE_API_KEYS": "first-key,second-key", "MLXSITE_CACHE_DIR": str(folder / "cache")}
    server = spawn(folder, "--scripted", env=keys)
    server.wait_until_ready()
    yield server
    stop(server)


def sign_in(app, key):
    app.page.get_by_label("API key").fill(key)
    app.page.get_by_role("button", name="Sign in").click()


def test_a_key_opens_requests_and_the_socket_until_the_browser_signs_out(open_app):
    app = open_app().open()
    sign_in(app, "wrong")
    expect(app.page.get_by_role("alert")).to_have_text("This is no key of this server.")
    assert app.serious_violations() == {}

    sign_in(app, "second-key")
    app.say("hello")
    expect(app.answers.last).to_contain_text("You said: hello")
    assert "second-key" not in str(app.page.context.cookies())
    assert app.page.evaluate("document.cookie") == ""

    app.page.get_by_role("button", name="Settings").click()
    app.page.get_by_role("button", name="Sign out").click()
    expect(app.page.get_by_role("heading", name="Sign in")).to_be_visible()
