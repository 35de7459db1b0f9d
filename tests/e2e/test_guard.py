"""The guard in front of a real server: the same rules hold behind Daphne and in Chromium."""

import http.client
import socket
from urllib.parse import urlsplit

import pytest

JSON = "application/json"
EVIL = "http://evil.example"
OTHER_PORT = "http://127.0.0.1:1"
PASSED = 404  # nothing answers at this path: the guard let the request through

pytestmark = pytest.mark.slow


def status(server, method="POST", path="/v1/no-such-thing", body=b"{}", **headers):
    connection = http.client.HTTPConnection(urlsplit(server).netloc, timeout=20)
    named = {
        name.replace("_", "-"): server if value == "SELF" else value
        for name, value in headers.items()
    }
    connection.request(method, path, body, named)
    with connection.getresponse() as response:
        response.read()
        connection.close()
        return response.status


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"Content_Type": JSON}, PASSED),
        ({"Content_Type": JSON, "Sec_Fetch_Site": "same-origin", "Origin": "SELF"}, PASSED),
        ({"Content_Type": JSON, "Origin": "SELF"}, PASSED),
        ({"Content_Type": JSON, "Sec_Fetch_Site": "cross-site", "Origin": EVIL}, 403),
        ({"Content_Type": "text/plain", "Sec_Fetch_Site": "cross-site", "Origin": EVIL}, 403),
        ({"Content_Type": "text/plain", "Origin": EVIL}, 403),
        ({"Content_Type": "text/plain", "Origin": "null"}, 403),
        ({"Content_Type": JSON, "Origin": OTHER_PORT}, 403),
        ({"Content_Type": JSON, "Sec_Fetch_Site": "same-site", "Origin": OTHER_PORT}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": JSON, "Host": "evil.example"}, 403),
    ],
)
def test_writes_come_from_programs_and_our_own_pages_only(server, headers, expected):
    assert status(server, **headers) == expected


@pytest.mark.parametrize("path", ["/", "/health", "/static/frontend/connect.css"])
def test_reads_under_a_foreign_host_are_refused(server, path):
    assert status(server, "GET", path, None, Host="evil.example") == 403


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("SELF", EVIL),
        ("SELF", OTHER_PORT),
        ("SELF", "null"),
        ("evil.example", EVIL),
        ("evil.example", None),
    ],
)
def test_a_foreign_socket_is_refused(server, host, origin):
    address = urlsplit(server)
    named = {"Host": address.netloc if host == "SELF" else host, "Origin": origin}
    lines = "".join(f"{name}: {value}\r\n" for name, value in named.items() if value)
    with socket.create_connection((address.hostname, address.port), 20) as client:
        handshake = (
            f"GET /ws/chat HTTP/1.1\r\n{lines}Upgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        client.sendall(handshake.encode())

        assert client.recv(4096).startswith(b"HTTP/1.1 403 ")


def test_a_root_path_header_opens_no_way_around_the_key(start_server):
    server = start_server("--scripted", env={"MLXSITE_API_KEYS": "secret"})
    bypass = {"Daphne_Root_Path": "/static"}

    assert status(server, "GET", "/v1/models", None) == 401
    assert status(server, "GET", "/static/v1/models", None, **bypass) == 404
    assert status(server, "GET", "/v1/models", None, X_Api_Key="secret") != 401
    assert status(server, "GET", "/", None) == 200


@pytest.mark.browser
def test_chromium_cannot_write_from_another_origin(server, chromium):
    """The server's own page under another host name is another site to a browser."""
    from playwright.sync_api import sync_playwright

    script = (
        "url => fetch(url, {method: 'POST', mode: 'no-cors', body: '{}', "
        "headers: {'Content-Type': 'text/plain'}}).catch(() => 0)"
    )
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        # A page without the web app's own Content-Security-Policy, which forbids it too.
        page = browser.new_page(bypass_csp=True)
        page.goto(server.replace("127.0.0.1", "localhost"))
        with page.expect_response(lambda response: "no-such-thing" in response.url) as refused:
            page.evaluate(script, f"{server}/v1/no-such-thing")
        assert refused.value.status == 403
        browser.close()
