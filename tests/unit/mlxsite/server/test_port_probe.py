"""Whether a port is free, before weights are loaded."""

import errno
import socket

import pytest

from mlxsite.server import port_probe
from mlxsite.server.port_probe import PortUnavailable, require_free


@pytest.fixture
def taken():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_a_free_port_passes():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

    require_free("127.0.0.1", port)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0.0.0.0"])
def test_a_port_where_something_answers_is_refused_with_its_url(host, taken):
    with pytest.raises(PortUnavailable, match=rf":{taken}; stop it, or choose another port"):
        require_free(host, taken)


def test_a_port_that_is_bound_but_silent_is_refused():
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))

        with pytest.raises(PortUnavailable, match="is in use"):
            require_free("127.0.0.1", bound.getsockname()[1])


def test_an_address_of_another_machine_is_refused(monkeypatch):
    monkeypatch.setattr(port_probe, "_answers", lambda host, port: False)

    with pytest.raises(PortUnavailable, match=r"no address 192\.0\.2\.1; correct --host"):
        require_free("192.0.2.1", 8080)


def test_a_port_without_permission_is_explained():
    reason = port_probe._reason("127.0.0.1", 80, OSError(errno.EACCES, "denied"))

    assert "above 1023" in reason
