"""What the terminal shows of a ready server."""

from mlxsite.server import banner

FACTS = [("Model", "owner/name"), ("Base URL", "http://127.0.0.1:8080/v1")]


def test_labels_and_values_stand_in_two_columns():
    assert banner.render("mlxsite 1", FACTS, closing="Bye.").splitlines() == [
        "",
        "  mlxsite 1",
        "",
        "  Model     owner/name",
        "  Base URL  http://127.0.0.1:8080/v1",
        "",
        "  Bye.",
    ]


def test_long_values_wrap_under_their_own_column_and_words_stay_whole():
    text = banner.render("t", [("Why", "one two three " + "x" * 40)], closing="c", width=32)

    assert "  Why  one two three\n       " + "x" * 40 in text


def test_without_a_terminal_nothing_wraps():
    assert "w " * 99 + "w" in banner.render("t", [("Why", "w " * 99 + "w")], closing="c")
