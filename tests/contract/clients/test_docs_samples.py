"""The Python programs of docs/clients.md, as people copy them, against the shared server."""

import pytest

from tests.plugins import clients_page

SAID = "This is the scripted model. You said: "
SENTENCE = "Write one sentence about rain."
WEATHER = "How is the weather in Oslo?"

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("section", "number", "question"),
    [
        ("OpenAI's SDK", 0, SENTENCE),
        ("OpenAI's SDK", 1, WEATHER),
        ("Anthropic's SDK", 0, SENTENCE),
        ("Anthropic's SDK", 1, WEATHER),
    ],
)
def test_a_program_prints_the_answer(section, number, question, server, capsys):
    programs = clients_page.blocks(section, "python", server)

    exec(compile(programs[number], f"{section}, {number + 1}", "exec"), {"__name__": "__main__"})

    assert len(programs) == 2
    assert capsys.readouterr().out == f"{SAID}{question}\n"
