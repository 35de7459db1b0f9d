"""docs/clients.md as tests read it: the settings and programs that it gives people to copy."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SERVER = "http://127.0.0.1:8080"
CONTEXT = "32768"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(section, language, url, context=None):
    """Return the blocks of a language in a section, for the server at `url`.

    context: the served model's window, where settings name one.
    """
    page = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")
    text = re.split(rf"^## {re.escape(section)}$", page, flags=re.MULTILINE)[1]
    found = FENCE.findall(re.split("^## ", text, flags=re.MULTILINE)[0])
    codes = [code.replace(SERVER, url) for kind, code in found if kind == language]
    assert codes, f"docs/clients.md has no {language} under {section}"
    return [code.replace(CONTEXT, str(context)) for code in codes] if context else codes
