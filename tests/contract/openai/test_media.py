"""Media that a text model cannot take are refused, and nothing is fetched for them."""

import socket
import threading

import pytest

PATH = "/v1/chat/completions"


@pytest.fixture
def listener():
    """A port of this machine, and the list of connections it saw."""
    seen = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        done = threading.Event()

        def watch():
            while not done.is_set():
                try:
                    connection, address = server.accept()
                except TimeoutError:
                    continue
                connection.close()
                seen.append(address)

        watcher = threading.Thread(target=watch)
        watcher.start()
        yield server.getsockname()[1], seen
        done.set()
        watcher.join()


def test_addresses_within_the_network_are_never_asked(http, listener):
    """Public case se-09; without a vision model every picture is refused, unread."""
    port, seen = listener
    urls = [
        f"http://127.0.0.1:{port}/secret.png",
        "http://169.254.169.254/latest/x.png",
        f"http://[::ffff:127.0.0.1]:{port}/x.png",
        "http://10.0.0.1/x.png",
        f"http://localhost:{port}/302-to-127.0.0.1.png",
        "file:///x.png",
        "ftp://public.example/x.png",
    ]

    for url in urls:
        part = {"type": "image_url", "image_url": {"url": url}}
        body = {"messages": [{"role": "user", "content": [part]}], "max_tokens": 2}
        response = http.post(PATH, json=body)
        assert response.status_code == 400
        assert response.json()["error"]["message"] == "model has no vision sidecar"

    assert seen == []
