from typing import Any

import pytest

from jobs.quantize.calibration import ROW_TOKENS, make_rows
from jobs.quantize.calibration_mix import DOMAINS
from jobs.quantize.errors import QuantizeError


class Words:
    """A tokenizer of one token for a character, which notes what it was given."""

    chat_template: str | None = None

    def __init__(self) -> None:
        self.seen: list[str] = []

    def encode(self, text: str, *, add_special_tokens: bool = True) -> list[int]:
        self.seen.append(text)
        return [1] * add_special_tokens + [ord(letter) for letter in text]


class Chatty(Words):
    chat_template = "{{ messages }}"

    def apply_chat_template(self, messages: list[dict[str, Any]], **options: Any) -> list[int]:
        if messages[0]["role"] == "system":
            raise ValueError("no system message, please")
        return self.encode("|".join(message["content"] for message in messages))


def test_rows_are_full_and_no_row_is_in_both_parts() -> None:
    rows = make_rows(Words(), DOMAINS, 512)

    together = [tuple(row) for row in (*rows.calibration, *rows.held_out)]
    assert {len(row) for row in together} == {ROW_TOKENS}
    assert len(set(together)) == len(together)
    assert 2 < len(rows.calibration) / len(rows.held_out) < 4


def test_a_few_rows_know_every_domain() -> None:
    first = [make_rows(Words(), [domain], 1) for domain in DOMAINS]

    few = make_rows(Words(), DOMAINS, len(DOMAINS))

    assert few.calibration == [rows.calibration[0] for rows in first]
    assert few.held_out == [rows.held_out[0] for rows in first]


def test_a_text_begins_once_however_it_is_cut_for_the_tokenizer() -> None:
    tokenizer = Words()

    rows = make_rows(tokenizer, ["prose"], 512)

    assert len(tokenizer.seen) > 5
    assert sum(row.count(1) for row in (*rows.calibration, *rows.held_out)) == 1


def test_conversations_go_through_the_chat_template_where_it_takes_them() -> None:
    tokenizer = Chatty()

    make_rows(tokenizer, ["chat"], 4)

    assert any("|" in text for text in tokenizer.seen)
    assert any(text.startswith("System: ") for text in tokenizer.seen)


def test_conversations_are_plain_text_without_a_template() -> None:
    tokenizer = Words()

    make_rows(tokenizer, ["chat"], 4)

    assert tokenizer.seen[0].startswith("User: What is the difference")
    assert "\n\nAssistant: " in tokenizer.seen[0]


def test_a_text_too_short_for_a_row_of_each_part_is_told() -> None:
    class Coarse(Words):
        def encode(self, text: str, *, add_special_tokens: bool = True) -> list[int]:
            return [0]

    with pytest.raises(QuantizeError, match="too short for this tokenizer"):
        make_rows(Coarse(), ["prose"], 4)
