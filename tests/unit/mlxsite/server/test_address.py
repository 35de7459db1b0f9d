"""What a listening address means."""

import pytest

from mlxsite.server import address


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("localhost", True),
        ("::1", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.5", False),
        ("studio.local", False),
    ],
)
def test_only_loopback_is_private(host, expected):
    assert address.is_loopback(host) is expected


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:1"),
        ("0.0.0.0", "http://127.0.0.1:1"),
        ("::", "http://[::1]:1"),
        ("::1", "http://[::1]:1"),
        ("studio.local", "http://studio.local:1"),
    ],
)
def test_the_url_leads_to_the_server_from_this_machine(host, url):
    assert address.base_url(host, 1) == url


def test_a_wildcard_goes_by_the_machines_name(monkeypatch):
    monkeypatch.setattr(address.socket, "gethostname", lambda: "Studio")

    assert address.names("0.0.0.0") == ["studio", "studio.local"]
    assert address.names("fd00::1") == ["[fd00::1]"]
