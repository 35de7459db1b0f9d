import pytest

from inference.text.grammar.regular.categories import category
from inference.text.grammar.regular.char_set import ANY, DIGITS


@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [
        ("L", "aZé语あß", "1 _😀"),
        ("Lu", "AÉЯ", "aé语"),
        ("Uppercase_Letter", "AÉЯ", "aé语"),
        ("N", "1½Ⅷ", "a"),
        ("P", "!«_", "+a"),
        ("So", "😀", "a+"),
    ],
)
def test_a_category_holds_its_characters(name, inside, outside):
    found = category(name)

    assert all(ord(char) in found for char in inside)
    assert not any(ord(char) in found for char in outside)


def test_the_categories_are_all_characters():
    union = category("C")
    for name in "LMNPSZ":
        assert not union & category(name)
        union |= category(name)

    assert union == ANY
    assert DIGITS - category("Nd") == DIGITS & category("L")


@pytest.mark.parametrize("name", ["", "X", "Lx", "Greek", "Lul"])
def test_what_is_no_category_is_none(name):
    assert category(name) is None
