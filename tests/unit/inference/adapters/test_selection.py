import pytest

from inference.adapters.selection import (
    MAX_ID_LENGTH,
    MAX_SELECTED,
    BadName,
    check_id,
    parse_selection,
)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a", ("a",)),
        ("a+b", ("a", "b")),
        ("b,a", ("b", "a")),
        (" a + b ,c", ("a", "b", "c")),
        ("none", ()),
        (" none ", ()),
        ("", ()),
        ("None", ("None",)),
        ("my adapter", ("my adapter",)),
    ],
)
def test_a_request_names_adapters_in_order(text, names):
    assert parse_selection(text) == names


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a+", "a name is missing"),
        (",", "a name is missing"),
        ("a++b", "a name is missing"),
        ("a+none", "'none' stands alone"),
        ("a+b,a", "'a' is named twice"),
        ("+".join(f"a{n}" for n in range(33)), "33 adapters .* the limit is 32; name fewer"),
        (",+" * 10**5, "200,001 adapters are named"),
    ],
)
def test_what_can_mean_no_adapter_is_refused(text, reason):
    with pytest.raises(BadName, match=reason):
        parse_selection(text)


def test_as_many_as_are_allowed_can_be_named():
    names = tuple(f"a{number}" for number in range(MAX_SELECTED))

    assert parse_selection("+".join(names)) == names


@pytest.mark.parametrize("name", ["a", "my-lora_2.1", "für alle", "x" * MAX_ID_LENGTH])
def test_an_id_can_be_chosen_by_its_name(name):
    check_id(name)
    assert parse_selection(name) == (name,)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("none", "reserved"),
        ("available", "reserved"),
        ("..", "reserved"),
        ("a+b", "may hold none of"),
        ("a,b", "may hold none of"),
        ("a/b", "may hold none of"),
        ("a\nb", "control characters"),
        ("\ud800", "control characters"),
        ("", "may not be empty"),
        (" a", "begin or end with a blank"),
        ("x" * (MAX_ID_LENGTH + 1), "129 characters, the limit is 128"),
    ],
)
def test_an_id_that_no_request_could_choose_is_refused(name, reason):
    """Public case jf-04, variants 7 and 8, and their kind."""
    with pytest.raises(BadName, match=reason):
        check_id(name)
