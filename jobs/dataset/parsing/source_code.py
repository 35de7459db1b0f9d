"""Code in an answer, and the definitions in a Python file."""

import re
from collections.abc import Iterator

_FENCE = re.compile(r"^[ \t]*```[ \t]*([\w+#.-]*)[^\n]*\n(.*?)(?:^[ \t]*```|\Z)", re.M | re.S)
_DEFINITION = re.compile(r"[ \t]*(?:async[ \t]+def|def|class)[ \t]")
_DECORATOR = re.compile(r"[ \t]*@")


def fenced_code(text: str, language: str) -> str:
    """The longest fenced block, one in `language` before others; all of it if none is fenced."""
    blocks = [(name.casefold(), code.strip("\n")) for name, code in _FENCE.findall(text)]
    wanted = [code for name, code in blocks if name and language.casefold().startswith(name)]
    longest: str = max(wanted or [code for _, code in blocks] or [text.strip()], key=len)
    return longest


def definitions(source: str) -> Iterator[str]:
    """Cut Python before each `def`, `async def` and `class`, decorators included.

    What stands before the first of them is left out.
    """
    begun: list[str] = []
    decorators: list[str] = []
    for line in source.splitlines(keepends=True):
        if _DEFINITION.match(line):
            if begun:
                yield "".join(begun)
            begun = [*decorators, line]
            decorators = []
        elif _DECORATOR.match(line):
            decorators.append(line)
        elif begun:
            begun += [*decorators, line]
            decorators = []
        else:
            decorators = []
    if begun:
        yield "".join(begun)
