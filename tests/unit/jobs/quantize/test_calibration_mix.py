import pytest

from jobs.quantize.calibration_mix import DOMAINS, parse_mix, read_conversations, read_text
from jobs.quantize.errors import InvalidField


@pytest.mark.parametrize(
    ("text", "domains"),
    [
        ("mixed", DOMAINS),
        ("MIXED", DOMAINS),
        ("code", ("code",)),
        ("chat, prose", ("prose", "chat")),
        ("code,code", ("code",)),
    ],
)
def test_a_mix_is_a_word_or_a_list_of_domains(text: str, domains: tuple[str, ...]) -> None:
    assert parse_mix(text) == domains


def test_an_unknown_domain_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(InvalidField, match=r"prose, languages, code, chat.*'poems'"):
        parse_mix("code,poems")


@pytest.mark.parametrize("domain", [name for name in DOMAINS if name != "chat"])
def test_each_domain_has_text_enough_for_a_few_thousand_tokens(domain: str) -> None:
    assert len(read_text(domain).encode()) > 8000


def test_conversations_alternate_and_end_with_an_answer() -> None:
    for conversation in read_conversations():
        roles = [message["role"] for message in conversation if message["role"] != "system"]

        assert roles == ["user", "assistant"] * (len(roles) // 2)
        assert all(message["content"].strip() for message in conversation)
