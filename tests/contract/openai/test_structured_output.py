"""Constraints that cannot be met stay the caller's: announced or refused, never a failure."""

import re

import pytest

PATH = "/v1/chat/completions"


def schema(value):
    return {
        "response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": value}}
    }


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        (schema({"type": "not-a-type"}), 200),
        (schema({"type": "object", "properties": {"foo": "bar"}}), 200),
        (schema({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}}), 200),
        (schema({"$ref": "#/$defs/missing"}), 200),
        ({"response_format": {"type": "json_schema"}}, 400),
        ({"response_format": {"type": "yaml"}}, 400),
        ({"guided_regex": "(["}, 200),
        ({"guided_grammar": "root ::= missing"}, 200),
        ({"guided_choice": []}, 400),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_a_faulty_constraint_is_refused_or_announced(http, fields, status, stream):
    """Public case so-05."""
    body = {"messages": [{"role": "user", "content": "hi"}], "max_tokens": 4, "stream": stream}

    response = http.post(PATH, json={**body, **fields})

    assert response.status_code == status
    if status == 200:
        assert response.headers["warning"].startswith("grammar not enforced: ")
        # The compiler's own sentence names places in its source.
        assert not re.search(r"\s/\w|\.cc|\.h\b", response.headers["warning"])
    else:
        assert response.json()["error"]["message"]
    assert http.get("/health").status_code == 200
    plain = http.post(PATH, json=body)
    assert plain.status_code == 200 and "warning" not in plain.headers


def test_text_completions_are_warned_too(http):
    body = {"prompt": "hi", "max_tokens": 4, "guided_grammar": "root ::= missing"}

    response = http.post("/v1/completions", json=body)

    assert response.status_code == 200
    assert response.headers["warning"].startswith("grammar not enforced: ")


def test_what_is_enforced_is_not_warned_of(http):
    body = {"messages": [{"role": "user", "content": "hi"}], "guided_choice": ["a", "b"]}

    assert "warning" not in http.post(PATH, json={**body, "max_tokens": 4}).headers
