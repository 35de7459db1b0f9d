"""docs/configuration.md lists every option and variable, exactly as the table has them."""

import pytest

from inference.option_kinds import SWITCH
from inference.options import TABLE, Option
from mlxsite.settings import OWN_VARIABLES

BEGIN, END = "<!-- options: begin -->\n", "<!-- options: end -->"


def flags(option: Option) -> str:
    value = f" {option.kind.metavar}" if option.kind is not SWITCH else ""
    shown = [
        f"`{spelling}{value}`" if spelling.startswith("-") else f"`[{option.kind.metavar}]`"
        for spelling in option.spellings
    ]
    return ", ".join(shown).replace("|", "\\|") or "none"


def row(option: Option) -> str:
    if isinstance(option.default, bool):
        default = "on" if option.default else "off"
    else:
        default = "unset" if option.default is None else f"`{option.default}`"
    variable = f"`{option.environment}`" if option.environment else "none"
    allowed = option.kind.allowed
    sentence = option.help[0].upper() + option.help[1:]
    return f"| {flags(option)} | {variable} | {default} | {allowed} | {sentence}. |"


def table() -> str:
    head = "| Flag | Variable | Default | Allowed | Meaning |\n| --- | --- | --- | --- | --- |\n"
    return head + "".join(row(option) + "\n" for option in TABLE)


@pytest.fixture(scope="module")
def page(root):
    return (root / "docs" / "configuration.md").read_text(encoding="utf-8")


def test_the_table_of_options_is_the_table_in_the_code(page):
    shown = page[page.index(BEGIN) + len(BEGIN) : page.index(END)]

    assert shown == table(), f"replace the table by:\n{table()}"


@pytest.mark.parametrize("variable", sorted(OWN_VARIABLES | {"HF_HOME", "HF_HUB_CACHE"}))
def test_every_other_variable_is_explained(page, variable):
    assert f"`{variable}`" in page
