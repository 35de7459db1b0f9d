"""The command as a user meets it: it starts, says what it serves, and stops."""

import json
import signal
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

pytestmark = pytest.mark.slow


def run(request, command):
    """Run a command that should end by itself, soon."""
    return subprocess.run(
        command,
        cwd=request.config.rootpath,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_says_what_it_serves_and_where_and_stops_with_status_zero(start_process, number):
    server = start_process("--scripted")

    server.signal(number)

    assert server.wait() == 0
    assert f"{server.url}/v1" in server.log
    assert "Model" in server.log
    assert "Stopping." in server.log or "Finishing" in server.log
    assert "Traceback" not in server.log
    assert "Warning" not in server.log


def test_a_path_nothing_answers_is_the_contracts_json(server):
    with pytest.raises(urllib.error.HTTPError) as raised:
        urllib.request.urlopen(f"{server}/no/such/path")

    with raised.value as response:
        assert response.status == 404
        assert response.headers["Content-Type"] == "application/json"
        assert json.load(response) == {"error": {"message": "not found"}}


def test_a_second_server_on_the_same_port_is_told_at_once(request, server, tmp_path):
    port = server.rsplit(":", 1)[1]
    command = [sys.executable, "manage.py", "runserver_mlx", "--scripted", "--port", port]

    second = run(request, command)

    assert second.returncode == 1
    assert f"something already answers on {server}" in second.stderr
    assert "Loading" not in second.stdout


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--port", "99999"], 2, "argument --port: '99999' is not allowed"),
        (["--no-such-flag"], 2, "unrecognized arguments: --no-such-flag"),
        (["--host", "0.0.0.0"], 1, "MLXSITE_API_KEYS"),
        (["--model", "no-such-model-anywhere"], 1, "no-such-model-anywhere"),
    ],
)
def test_a_start_that_cannot_work_is_one_line_and_no_traceback(request, arguments, status, message):
    command = [sys.executable, "manage.py", "runserver_mlx", *arguments]

    ended = run(request, command)

    assert ended.returncode == status
    assert message in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_about_connecting_is_complete_in_a_browser(server, chromium, scheme):
    from playwright.sync_api import expect, sync_playwright

    problems = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(
            color_scheme=scheme,
            viewport={"width": 390, "height": 800},
            permissions=["clipboard-read", "clipboard-write"],
        )
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda m: m.type == "error" and problems.append(m.text))
        page.goto(f"{server}/connect")

        expect(page.get_by_text("Serving")).to_be_visible()
        expect(page.get_by_text(f"curl {server}/v1/chat/completions")).to_be_visible()
        page.get_by_role("button", name="Copy").first.click()
        expect(page.get_by_role("button", name="Copied")).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()") == f"{server}/v1"
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        browser.close()
    assert problems == []
