"""Ids on the wire."""

import re

from inference.api.responses.ids import item_id, new_request_id, response_id, response_id_of


def test_a_response_has_24_hexadecimal_digits():
    assert re.fullmatch(r"resp_[0-9a-f]{24}", response_id(new_request_id()))


def test_ids_differ_from_request_to_request():
    assert len({new_request_id() for _ in range(100)}) == 100


def test_items_of_a_response_differ():
    assert len({item_id("msg", "0" * 24, index) for index in range(1000)}) == 1000


def test_an_item_tells_its_response():
    request_id = new_request_id()

    for index in (0, 255, 256):
        assert response_id_of(item_id("fc", request_id, index)) == response_id(request_id)


def test_any_other_text_tells_a_response_that_is_none():
    assert response_id_of("what is this") == "resp_"
