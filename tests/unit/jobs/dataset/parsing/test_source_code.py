"""Code in answers, and definitions in files."""

from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.dataset.parsing.source_code import definitions, fenced_code

SOURCE = '''import os

@cache
def f():
    return 1


class A(B):
    """Doc."""

    @property
    async def g(self):
        return 2

    x = 3
'''
LINES = st.lists(st.sampled_from(["def f():", "  @a", "class A:", "  x = 1", "", "async  def g"]))


def test_python_is_cut_before_each_definition_with_its_decorators():
    assert list(definitions(SOURCE)) == [
        "@cache\ndef f():\n    return 1\n\n\n",
        'class A(B):\n    """Doc."""\n\n',
        "    @property\n    async def g(self):\n        return 2\n\n    x = 3\n",
    ]


@settings(max_examples=40, deadline=None, derandomize=True)
@given(LINES)
def test_nothing_behind_the_first_definition_is_lost(lines):
    source = "".join(f"{line}\n" for line in lines)
    pieces = list(definitions(source))

    if pieces:
        assert "".join(pieces).replace("  @a\n", "") in source.replace("  @a\n", "")


def test_the_longest_block_in_the_language_is_the_code():
    text = "See:\n```sh\nrun it with many words\n```\n```python\na = 1\n```\n```py\na = 22\n```\n"

    assert fenced_code(text, "python") == "a = 22"
    assert fenced_code("```\na\n```", "python") == "a"
    assert fenced_code("```python\nnever closed", "python") == "never closed"
    assert fenced_code("a = 1", "python") == "a = 1"
