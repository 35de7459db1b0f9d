"""A text with what every scanner asks of it: its lines, and which are code or headings."""

from dataclasses import dataclass
from functools import cached_property

from memory.article.code_spans import blank_out_code
from memory.article.fences import Fence, find_fences
from memory.article.headings import Heading, read_heading
from memory.article.lines import content_of, split_lines

BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True)
class Source:
    """Line numbers count from 1. Nothing is computed before it is asked for."""

    text: str

    @cached_property
    def lines(self) -> list[str]:
        """The lines, each with its end; joined they are the text."""
        return split_lines(self.text)

    @cached_property
    def headings(self) -> list[Heading]:
        """The headings outside of code."""
        return [h for h in self._likely_headings if h.line not in self.code_lines]

    @cached_property
    def fences(self) -> list[Fence]:
        return find_fences(self.lines, [h.line - 1 for h in self._likely_headings])

    @cached_property
    def code_lines(self) -> frozenset[int]:
        """The numbers of lines in fenced blocks, the fences themselves included."""
        return frozenset(n for f in self.fences for n in range(f.first, f.last + 1))

    @cached_property
    def prose_lines(self) -> list[tuple[int, str]]:
        """Each line outside of fences, without its end and with code blanked out."""
        return [
            (number, blank_out_code(content_of(line)))
            for number, line in enumerate(self.lines, 1)
            if number not in self.code_lines
        ]

    def line(self, number: int) -> str:
        """Return a line without its end, and the first without a byte order mark."""
        text = content_of(self.lines[number - 1])
        return text.removeprefix(BYTE_ORDER_MARK) if number == 1 else text

    @cached_property
    def _likely_headings(self) -> list[Heading]:
        numbers = range(1, len(self.lines) + 1)
        return [heading for n in numbers if (heading := read_heading(self.line(n), n))]
