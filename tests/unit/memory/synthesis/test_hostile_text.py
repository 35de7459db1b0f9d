"""Whatever chats, people and models write: reading it takes time in proportion to its length."""

import time
from collections.abc import Callable

import pytest

from memory.synthesis.briefs import points_of
from memory.synthesis.citing import cite_new, first_sentence, restored
from memory.synthesis.drafts import leak, tidied
from memory.synthesis.gates import num_words
from memory.synthesis.infoboxes import read_fields
from memory.synthesis.mentions import Names
from memory.synthesis.parts import plain
from memory.synthesis.stages import extract, segment

NAMES = Names({"Atlas": ["Atlas"], "Big_map": ["Big map"]})
READERS: dict[str, Callable[[str], object]] = {
    "mentions": lambda text: [m for line in text.splitlines() for m in NAMES.mentions(line)],
    "words": num_words,
    "points": points_of,
    "sentences": lambda text: (first_sentence(text), cite_new(text, text, "1")),
    "marks": lambda text: restored(text, text),
    "plain": plain,
    "drafts": lambda text: leak(tidied(text), "Write."),
    "fields": lambda text: read_fields(text, "text"),
    "names": lambda text: extract.parse(text, "text"),
    "ranges": lambda text: segment.parse(text, 12),
}
PIECES = (
    *("[^a", "[^a] ", "](", "](a", "](()", "[[a", "[name ", "<a", "`", "https://", "{{"),
    *("\n", "\n- ", "\n1", " ", "1 ", "1-", ".)", "a.b ", '"', "!", "| ", "\n | ", "user ", "a: "),
)


@pytest.mark.parametrize("name", READERS)
def test_text_is_read_in_proportion_to_its_length(name):
    def seconds(text):
        begun = time.process_time()
        READERS[name](text)
        return time.process_time() - begun

    for piece in PIECES:
        for begin in ("", "1"):
            small = min(seconds(begin + piece * 500) for _ in range(2))
            large = seconds(begin + piece * 12_000)
            assert large < 24 * 5 * max(small, 0.002), (piece, begin, small, large)
