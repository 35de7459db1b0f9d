"""Text that has come apart is told from text that has not."""

import pytest

from inference.api.curve.junk import is_junk


@pytest.mark.parametrize(
    "text", ["", "Plain words, 42.", "Ünïcode café", "x" * 60 + "π", "1 + 1 = 2", "😀 fine"]
)
def test_sound_text(text):
    assert not is_junk(text)


@pytest.mark.parametrize("text", ["broken \ufffd", "a <unused12> b", "ab дa", "日本"])
def test_junk(text):
    assert is_junk(text)
