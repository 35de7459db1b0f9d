"""Request bodies: JSON read strictly, and told in the words of mlx_lm.server."""

import math

import pytest

from inference.api import json_body
from inference.errors import InvalidRequest

HUGE = 10**400


def error_of(read, *arguments, **limits):
    with pytest.raises(InvalidRequest) as raised:
        read(*arguments, **limits)
    return raised.value


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"{'a': 1}",
        b"null",
        b"[]",
        b"[{}]",
        b"1",
        b'"text"',
        b"\xff\xfe\x00",
        b'{"a": "\xff"}',
        b'{"a": NaN}',
        b'{"a": Infinity}',
        b'{"a": -Infinity}',
        b'{"a": 1} x',
        b'{"a": 1}{"b": 2}',
        b"[" * 200_000,
        b'{"a":' * 200_000,
        b'{"a": ' + b"9" * 5000 + b"}",
    ],
    ids=lambda raw: raw[:12],
)
def test_whatever_is_no_json_object_is_refused(raw):
    assert error_of(json_body.read_object, raw).message == "invalid JSON body"


@pytest.mark.parametrize("raw", [b"{}", b" {} \n", b"\xef\xbb\xbf{}"])
def test_an_object_is_read(raw):
    assert json_body.read_object(raw) == {}


def test_any_text_survives():
    assert json_body.read_object('{"a": "é\\u4e2d😀\\ud83d"}'.encode()) == {"a": "é中😀\ud83d"}


@pytest.mark.parametrize("value", ["true", 0, 1, [], {}])
def test_a_boolean_is_true_or_false(value):
    error = error_of(json_body.boolean, {"stream": value}, "stream", default=False)

    assert (error.message, error.param) == ("stream must be of type bool", "stream")


@pytest.mark.parametrize("value", ["5", 1.5, 1e3, math.inf, True, [], {}])
def test_an_integer_is_a_whole_number(value):
    error = error_of(json_body.integer, {"top_k": value}, "top_k", at_least=0)

    assert (error.message, error.param) == ("top_k must be of type int", "top_k")


@pytest.mark.parametrize("value", ["0.5", True, [], {}])
def test_a_number_is_a_float_or_an_int(value):
    error = error_of(json_body.number, {"top_p": value}, "top_p", at_least=0)

    assert (error.message, error.param) == ("top_p must be of type ('float', 'int')", "top_p")


@pytest.mark.parametrize(
    ("read", "value", "message"),
    [
        (json_body.integer, -1, "x must be at least 0"),
        (json_body.integer, 11, "x must be at most 10"),
        (json_body.integer, HUGE, "x must be at most 10"),
        (json_body.integer, -HUGE, "x must be at least 0"),
        (json_body.number, -0.1, "x must be at least 0"),
        (json_body.number, 10.1, "x must be at most 10"),
        (json_body.number, HUGE, "x must be at most 10"),
        (json_body.number, math.inf, "x must be at most 10"),
    ],
)
def test_a_number_out_of_range_is_told_the_limit(read, value, message):
    error = error_of(read, {"x": value}, "x", at_least=0, at_most=10)

    assert (error.message, error.param) == (message, "x")


@pytest.mark.parametrize("raw", [b'{"x": 1e999}', b'{"x": 1' + b"0" * 400 + b"}"])
def test_a_number_too_large_for_a_float_is_refused(raw):
    error = error_of(json_body.number, json_body.read_object(raw), "x", at_least=0)

    assert (error.message, error.param) == ("x must be a finite number", "x")


@pytest.mark.parametrize("body", [{}, {"x": None}])
def test_absent_and_null_give_the_default(body):
    assert json_body.boolean(body, "x", default=True) is True
    assert json_body.integer(body, "x", at_least=1) is None
    assert json_body.number(body, "x", at_least=1) is None


def test_a_number_without_limits_is_finite_all_the_same():
    assert json_body.number({"x": -1e308}, "x") == -1e308
    assert error_of(json_body.number, {"x": -HUGE}, "x").message == "x must be a finite number"


def test_an_integer_may_have_a_value_that_means_unset():
    assert json_body.integer({"x": -1}, "x", at_least=0, unset=-1) is None
    assert error_of(json_body.integer, {"x": -2}, "x", at_least=0, unset=-1).param == "x"


@pytest.mark.parametrize("value", [[], "{}", 1, False])
def test_an_object_is_nothing_else(value):
    error = error_of(json_body.json_object, {"x": value}, "x")

    assert (error.message, error.param) == ("x must be an object", "x")


@pytest.mark.parametrize(("value", "expected"), [(None, {}), ({}, {}), ({"a": 1}, {"a": 1})])
def test_an_object_that_is_absent_is_empty(value, expected):
    assert json_body.json_object({"x": value}, "x") == expected
    assert json_body.json_object({}, "x") == {}


def test_the_limits_themselves_are_in_range():
    body = {"low": 0, "high": 10, "true": True}

    assert json_body.integer(body, "low", at_least=0, at_most=10) == 0
    assert json_body.number(body, "high", at_least=0, at_most=10) == 10.0
    assert json_body.boolean(body, "true", default=False) is True
