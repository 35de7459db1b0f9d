"""The response object."""

from inference.api.responses.response import response_head, usage_block
from inference.events import Lane, Usage


def head(**fields):
    return response_head(
        response_id="resp_1", created_at=7, model="m", fields=fields, instructions="be kind"
    )


def test_what_clients_read_is_there_whatever_the_request_says():
    assert head() == {
        "id": "resp_1",
        "object": "response",
        "created_at": 7,
        "model": "m",
        "background": False,
        "instructions": "be kind",
        "max_output_tokens": None,
        "max_tool_calls": None,
        "metadata": {},
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "prompt_cache_key": None,
        "reasoning": {"effort": None, "summary": None},
        "safety_identifier": None,
        "store": True,
        "temperature": None,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": None,
        "truncation": "disabled",
        "user": None,
    }


def test_what_the_request_says_is_repeated():
    sent = {
        "metadata": {"a": "b"},
        "tools": [{"type": "web_search"}],
        "tool_choice": "none",
        "previous_response_id": "resp_0",
        "temperature": 0,
        "store": False,
        "user": "ann",
    }

    assert sent.items() <= head(**sent).items()


def test_parts_of_a_field_are_filled_in():
    response = head(reasoning={"effort": "low"}, text={"verbosity": "low"})

    assert response["reasoning"] == {"effort": "low", "summary": None}
    assert response["text"] == {"format": {"type": "text"}, "verbosity": "low"}


def test_usage_tells_every_count():
    usage = Usage(
        prompt_tokens=5, completion_tokens=4, cached_tokens=3, lane=Lane.BATCHED, reasoning_tokens=2
    )

    assert usage_block(usage) == {
        "input_tokens": 5,
        "input_tokens_details": {"cached_tokens": 3, "cache_write_tokens": 0},
        "output_tokens": 4,
        "output_tokens_details": {"reasoning_tokens": 2},
        "total_tokens": 9,
    }
