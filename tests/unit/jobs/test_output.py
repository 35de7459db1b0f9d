"""What a process prints, made fit for a log."""

import pytest

from jobs.output import BURST, LAST_LINES, LINES_PER_SECOND, LONGEST_LINE, OutputLines


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def lines(*parts):
    output = OutputLines(Clock())
    return [line for part in parts for line in output.feed(part)] + list(output.end())


@pytest.mark.parametrize("cut", range(1, 30))
def test_lines_do_not_depend_on_how_they_were_cut(cut):
    text = "eins\nzwei über\r\n\ndrei".encode()

    assert lines(text[:cut], text[cut:]) == ["eins", "zwei über", "drei"]


def test_a_progress_bar_is_the_lines_that_it_redraws():
    assert lines(b" 10%|#\r 20%|##\r\x1b[A 30%|###\n") == [" 10%|#", " 20%|##", " 30%|###"]


def test_what_is_for_terminals_alone_is_left_out():
    styled = b"\x1b[1;31mred\x1b[0m \x1b]8;;http://x\x07link\x1b]8;;\x1b\\ \x07\x00a\tb\n"

    assert lines(styled) == ["red link a\tb"]


def test_bytes_that_are_no_text_are_replaced():
    assert lines(b"\xff\xfe!\n") == ["��!"]


def test_a_long_line_is_cut_and_says_so():
    (line,) = lines(b"x" * (LONGEST_LINE + 1500) + b"\n")

    assert line == "x" * LONGEST_LINE + "… (1,500 characters more)"


def test_a_line_without_end_is_not_kept_in_memory():
    output = OutputLines(Clock())

    shown = [line for _ in range(10) for line in output.feed(b"x" * LONGEST_LINE * 5)]

    assert len(shown) == 10
    assert len(output._partial) == 0


def test_a_flood_is_thinned_and_what_is_missing_is_counted():
    clock = Clock()
    output = OutputLines(clock)
    flood = b"".join(b"%d\n" % number for number in range(1000))

    first = list(output.feed(flood))
    clock.now = 1.0
    later = list(output.feed(b"after\n"))
    rest = list(output.feed(flood)) + list(output.end())

    assert first == [str(number) for number in range(BURST)]
    assert later == [f"… {1000 - BURST} lines left out", "after"]
    assert len(rest) == LINES_PER_SECOND
    assert rest[-1] == f"… {1000 - (LINES_PER_SECOND - 1)} lines left out"
    assert list(output.last) == [str(number) for number in range(1000 - LAST_LINES, 1000)]
