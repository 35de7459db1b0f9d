"""Chat requests over HTTP: what is taken, what is refused, always in JSON."""

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
    ("limits", "tokens"),
    [
        ({"max_tokens": 1}, 1),
        ({"max_tokens": 50, "max_completion_tokens": 1}, 1),
        ({"max_tokens": None}, 41),
        ({}, 41),
    ],
)
def test_the_token_limit_holds_and_null_is_none(http, limits, tokens):
    # Public case pa-01.
    answer = http.post(PATH, json={"messages": MESSAGES, **limits}).json()

    assert answer["usage"]["completion_tokens"] == tokens
    assert answer["choices"][0]["finish_reason"] == ("length" if tokens == 1 else "stop")


@pytest.mark.parametrize("limit", [0, -1, 1.5])
def test_a_token_limit_that_means_nothing_is_refused(http, limit):
    # Public case pa-01: 0 must not mean "no limit".
    error = error_of(http.post(PATH, json={"messages": MESSAGES, "max_tokens": limit}), 400)

    assert error["param"] == "max_tokens"


@pytest.mark.parametrize("model", [{"model": "gpt-4o-mini"}, {}, {"model": "../../x"}])
def test_the_model_field_is_ignored_and_the_served_model_is_named(http, model):
    # Public case pa-07.
    response = http.post(PATH, json={**model, "messages": MESSAGES, "max_tokens": 1})

    assert response.status_code == 200
    assert response.json()["model"] == "scripted"


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


def test_a_lone_surrogate_is_answered(http):
    raw = b'{"messages": [{"role": "user", "content": "a\\ud83d", "name": "\\ude00"}]}'

    answer = http.post(PATH, content=raw, headers=JSON).json()

    assert answer["choices"][0]["message"]["content"].endswith("You said: a\ufffd")


def test_a_body_of_ten_megabytes_is_read(http):
    body = {"messages": MESSAGES, "max_tokens": 1, "metadata": "x" * 10_000_000}

    assert http.post(PATH, json=body).status_code == 200


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


def test_a_client_that_sends_half_a_body_harms_nobody(server, http):
    address = urlsplit(server)
    head = f"POST {PATH} HTTP/1.1\r\nHost: {address.netloc}\r\n"
    head += "Content-Type: application/json\r\nContent-Length: 5\r\n\r\n{"

    with socket.create_connection((address.hostname, address.port), 5) as client:
        client.sendall(head.encode())

    assert http.get("/health").status_code == 200
