"""A server that others can reach asks for a key."""

import pytest

from mlxsite.server.exposure import ExposureRefused, policy_for


def policy(host, *, keys=()):
    return policy_for(host, allowed_hosts=["localhost"], trusted_origins=[], api_keys=keys)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "studio.local"])
def test_beyond_loopback_a_key_is_required(host):
    with pytest.raises(ExposureRefused, match="MLXSITE_API_KEYS"):
        policy(host)
    assert policy(host, keys=["k"]).api_keys == ("k",)


def test_the_address_listened_on_is_allowed_as_a_host():
    assert "192.168.1.5" in policy("192.168.1.5", keys=["k"]).allowed_hosts
    assert not policy("192.168.1.5", keys=["k"]).any_address


def test_listening_everywhere_allows_every_address():
    assert policy("0.0.0.0", keys=["k"]).any_address


def test_loopback_needs_no_key():
    assert policy("127.0.0.1").api_keys == ()
