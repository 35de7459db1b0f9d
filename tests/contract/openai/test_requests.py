"""Bodies and methods over HTTP: what is read, what is refused, always in JSON."""

import json
import socket
from urllib.parse import urlsplit

import pytest

PATH = "/v1/chat/completions"
MESSAGES = [{"role": "user", "content": "hi"}]
JSON = {"Content-Type": "application/json"}
MIB = 2**20

pytestmark = pytest.mark.slow


def error_of(response, status):
    assert response.status_code == status, response.text
    assert response.headers["Content-Type"] == "application/json"
    error = response.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    return error


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff",
        b'{"messages": NaN}',
        b"[" * 100_000,
        b'{"messages": [{"role": "user", "content": "hi"}], "top_p": 1e999}',
        b'{"messages": [{"role": "user", "content": "hi"}], "seed": 1' + b"0" * 400 + b"}",
        b'{"messages": [{"role": "user", "content": [{"type": ["text"]}]}]}',
        b'{"messages": [{"role": "user", "content": {}}]}',
        b'{"messages": [{"role": "\\ud83d", "content": ""}]}',
    ],
    ids=lambda raw: raw[-16:],
)
def test_a_malformed_body_is_an_error_of_the_callers(http, raw):
    error = error_of(http.post(PATH, content=raw, headers=JSON), 400)

    assert error["type"] == "invalid_request_error"


def test_a_lone_surrogate_is_answered(http, route):
    """Public case pr-09."""
    raw = json.dumps(route.body("a\ud83d", user="\ude00")).encode()

    response = http.post(route.path, content=raw, headers=JSON)

    assert response.status_code == 200
    assert route.text(response.json()["choices"][0]).endswith("You said: a\ufffd")


def test_a_pair_of_surrogates_is_a_character(http, route):
    """Public case pr-09."""
    raw = json.dumps(route.body("a😀")).encode()
    assert b"\\ud83d\\ude00" in raw

    response = http.post(route.path, content=raw, headers=JSON)

    assert route.text(response.json()["choices"][0]).endswith("You said: a😀")


def test_a_body_of_ten_megabytes_is_read(http, route):
    body = route.body(max_tokens=1, metadata="x" * 10_000_000)

    assert http.post(route.path, json=body).status_code == 200


def test_a_prompt_of_ten_megabytes_is_refused_for_its_length(http, route):
    response = http.post(route.path, json=route.body("x" * 10_000_000))

    assert error_of(response, 400)["code"] == "context_over_budget"


def test_a_body_over_the_limit_is_refused_and_the_server_goes_on(http):
    raw = b'{"metadata": "' + b"x" * (64 * MIB) + b'"}'

    error = error_of(http.post(PATH, content=raw, headers=JSON), 413)

    assert error["code"] == "request_too_large"
    assert http.get("/health").status_code == 200


def test_a_body_in_chunks_is_read(http):
    parts = iter([b'{"messages": [{"role": "user", ', b'"content": "hi"}], "max_tokens": 1}'])

    assert http.post(PATH, content=parts, headers=JSON).status_code == 200


def test_a_connection_serves_many_requests(http):
    for _ in range(3):
        assert http.post(PATH, json={"messages": []}).status_code == 400
        assert http.post(PATH, json={"messages": MESSAGES}).status_code == 200


@pytest.mark.parametrize("path", ["/v1/nothing", "/v1/chat/completions/", "/v1/complete"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_path_nothing_answers_is_the_contracts_json(http, method, path):
    response = http.request(method, path, json={} if method == "POST" else None)

    assert response.status_code == 404
    assert response.json() == {"error": {"message": "not found"}}


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", PATH, "POST"),
        ("DELETE", PATH, "POST"),
        ("POST", "/v1/models", "GET, HEAD"),
        ("PUT", "/health", "GET, HEAD"),
        ("POST", "/", "GET, HEAD"),
    ],
)
def test_a_wrong_method_is_json_and_names_the_right_one(http, method, path, allowed):
    response = http.request(method, path)

    error = error_of(response, 405)
    assert error["type"] == "invalid_request_error"
    assert error["message"] == f"{method} is not allowed here, only {allowed}"
    assert response.headers["Allow"] == allowed


@pytest.mark.parametrize("path", ["/v1", "/v1/models", "/v1/models/scripted", "/health", "/stats"])
def test_head_is_get_without_a_body(http, path):
    asked, got = http.head(path), http.get(path)

    assert asked.status_code == got.status_code == 200
    assert asked.content == b""
    assert asked.headers["Content-Type"] == got.headers["Content-Type"]


def test_a_client_that_sends_half_a_body_harms_nobody(server, http):
    address = urlsplit(server)
    head = f"POST {PATH} HTTP/1.1\r\nHost: {address.netloc}\r\n"
    head += "Content-Type: application/json\r\nContent-Length: 5\r\n\r\n{"

    with socket.create_connection((address.hostname, address.port), 5) as client:
        client.sendall(head.encode())

    assert http.get("/health").status_code == 200
