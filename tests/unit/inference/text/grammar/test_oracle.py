"""llguidance lets the same bytes follow, or the difference is known and has a reason.

Walks go over what both allow; at each step all bytes are compared, and whether the text may end.
"""

import random
from functools import cache

import pytest

from inference.constraint import JsonSchema, Regex
from inference.text.grammar.source import GrammarSource, write_grammar
from tests.plugins.grammar import CLOSERS, STOP, allowed
from tests.plugins.oracle import Difference, Oracle, among, unexplained
from tests.plugins.schema_battery.all_cases import BATTERY
from tests.plugins.schema_battery.case import Promise

WALKS = 3
MAX_BYTES = 120

# Their grammars leave the whole schema unenforced for one such keyword.
THEIRS_LACKS = (
    "Unimplemented keys",  # not, if, uniqueItems, propertyNames, dependent…, unevaluated…, …
    "Unknown format",
    "oneOf constraints are not supported",
    "are not disjoint",  # two patterns of names
    "min/maxProperties only supported",  # beside listed members
    "Unable to determine if regex is empty",  # a format and a pattern
    "Expected positive integer",  # a length as 2.0
)
# What theirs enforces, and ours announces or refuses.
OURS_LACKS = {
    "a bound of more digits than numbers have": "numbers end at 32 digits",
    "a bound that nobody counts to": "lengths are counted up to 512",
    "a pattern without regard to case": "flags are Python's; ECMA-262 has none within a pattern",
    "a pattern of a script": "Python's tables have categories alone",
    "a pattern too large": "an automaton has at most 4,096 states; theirs is built as it is used",
    "a reference to a schema with a name of its own": "references lead by pointer or anchor",
}
# What theirs accepts and does not enforce, or finds satisfiable.
THEIRS_MISSES = {
    "two of any name": "one name may come twice, and then counts once",
    "a reference to itself": "no text ever satisfies it",
    "references in a ring": "no text ever satisfies it",
    "a chain without an end": "no text ever satisfies it",
}

REGEXES = [
    "[0-9]{4}",
    "(yes|no|maybe)( really)?",
    "a*b+c?",
    "(a|ab)(c|bcd)(d*)",
    "[^a-y]{2}",
    "(?:[a-z]+[.])*[a-z]{2,3}",
    "x{2,5}y{0,3}z{2,}",
    "(a*)*b",
    "((ab|a)(bc|c))*d",
    "[\\u3042-\\u3093]+|é",
    "😀{1,2}[À-ÿ]?",
    "[+-]?(0|[1-9][0-9]*)([.][0-9]+)?",
    "\\x41\\t\\\\[\\]\\-^]",
    "|a",
]

OPEN = among(
    "some required",
    "required beside listed ones",
    "names that need escapes",
    "a name that must not be there",
    "objects in objects",
    "a listed name that a pattern matches",
    "branches within other keywords",
    "a nullable object",
    "one member or another",
    "one of two kinds, the type beside",
    "members from two sides",
    "a reference to a member's schema",
    "a member that is called $ref",
    "pydantic: a person",
    "pydantic: an event",
    "pydantic: a union by kind",
    "pydantic: a model that holds itself",
    "pydantic: a map with a pattern",
)
STEPPED = among(
    "multiples of an integer",
    "multiples of a hundredth",
    "steps, patterns and formats from two sides",
    "steps of fractions from two sides",
    "strictly between two numbers",
    "pydantic: a union by kind",
)
CLOCKS = among("the format time", "the format date-time", "pydantic: an event")

OURS_ALONE = [
    Difference("JSON forbids no DEL", b"", b"\x7f"),
    Difference("a slash may be escaped", rb"\\", b"/"),
    Difference("so may one of a pattern or a link", b'"[^"]*', rb"\\"),
    Difference("zero may have a sign", b"-", b"0"),
    Difference("zeros may follow a fraction", rb"\.\d*", b"0"),
    Difference("white space is that of ECMA-262", b"", b"[\xef\x85]"),
    Difference(
        "numbers are spelled as they were listed", b"3", rb"\.", among("listed values of one type")
    ),
    Difference(
        "so they are with exponents", b"", b"1", among("listed values within other keywords")
    ),
]
THEIRS_ALONE = [
    Difference("an object that lists members has others", b'[{,][ \\n\\r\\t]*"[^"]*', b".", OPEN),
    Difference("and they come behind the listed ones", b"", b",", OPEN),
    Difference(
        "keywords of one type say nothing of others",
        b"^",
        rb'["\[0-9fnt-]',
        among("required, and the type is meant"),
    ),
    Difference("numbers have any number of digits", rb"\d{9}", rb"[\d.]"),
    Difference("beside a step, too", rb"\d{14}[\d.]*", rb"[\d.]", STEPPED),
    Difference("exponents, too", rb"[eE][+-]?\d{3}", rb"\d"),
    Difference(
        "listed lists and objects have blanks",
        rb'[\[{:,1xl"}\] \n\r\t]',
        b"[ \n\r\t]",
        among("a constant list", "a constant object", "listed values of every type"),
    ),
    Difference("whole numbers have no point", b"3", b"<stop>", among("listed values of one type")),
    Difference("small ones have one", b"^", b"0", among("listed values within other keywords")),
    Difference("all characters have numbers", rb"\\", b"u", among("a pattern with escapes")),
    Difference("white space is that of Unicode", b"\xc2", b"\x85"),
    Difference("there was a year 0", b'"', b"0", among("the format date", *CLOCKS)),
    Difference("there are leap seconds", rb":\d\d:", b"6", CLOCKS),
    Difference("T and Z may be small", rb"\d", b"[tz]", CLOCKS),
    Difference(
        "a mailbox has any of these",
        b'"[^@]*',
        rb"[!#$%&'*/=?^`{|}~]",
        among("the format email"),
    ),
    Difference("a link may be a scheme alone", b":", b'["#?]', among("the format uri")),
    Difference("a host may be an address", b"@", rb"\[", among("the format email")),
]


def battery(cases):
    return pytest.mark.parametrize("case", cases, ids=str)


def oracle(case, *, any_whitespace=False):
    return Oracle.of_schema(case.schema, any_whitespace=any_whitespace)


# Theirs reads no truth value as a schema, and no half of a surrogate pair.
READABLE = [
    c for c in BATTERY if isinstance(c.schema, dict) and c.name != "a listed half of a pair"
]
HELD = [case for case in READABLE if case.promise is Promise.ENFORCED]
SHARED = [case for case in HELD if not oracle(case).refusal]


def walk(compiled, second, numbers):
    """Go over what both allow; yield the text before each step and what either has alone."""
    matcher, text = compiled.matcher(), bytearray()
    while len(text) < MAX_BYTES:
        ours, theirs = set(allowed(matcher)), second.allowed()
        yield bytes(text), ours - theirs, theirs - ours
        shared = sorted(ours & theirs)
        closers = [octet for octet in shared if octet in CLOSERS]
        if not shared:
            return
        octet = numbers.choice(closers if closers and numbers.random() < 0.4 else shared)
        if octet == STOP:
            return
        assert matcher.accept(octet)
        second.accept(octet)
        text.append(octet)


@pytest.fixture(scope="module")
def compare(byte_compiler):
    """Return the differences that a case's walks have used, and what remains unexplained."""

    @cache
    def by_name(name):
        [case] = [case for case in SHARED if case.name == name]
        used, left = set(), []
        for index in range(WALKS):
            any_whitespace = index == 0
            source = write_grammar(JsonSchema(case.schema, any_whitespace))
            second = oracle(case, any_whitespace=any_whitespace)
            numbers = random.Random(f"{name}{index}")
            for text, ours, theirs in walk(byte_compiler.compile(source.ebnf), second, numbers):
                for table, octets in ((OURS_ALONE, ours), (THEIRS_ALONE, theirs)):
                    rows, rest = unexplained(table, name, text, octets)
                    used |= rows
                    left += [(text, octet, table is OURS_ALONE) for octet in rest]
        return used, left

    return by_name


@battery(SHARED)
def test_the_same_bytes_may_follow(case, compare):
    _, left = compare(case.name)

    assert left == []


def test_every_difference_is_still_there(compare):
    used = set().union(*(compare(case.name)[0] for case in SHARED))

    assert [row.reason for row in (*OURS_ALONE, *THEIRS_ALONE) if row not in used] == []


@battery([case for case in HELD if case not in SHARED])
def test_what_theirs_lacks_is_known(case):
    assert any(lack in oracle(case).refusal for lack in THEIRS_LACKS)


def test_what_ours_lacks_is_known():
    not_ours = [case for case in READABLE if case.promise is not Promise.ENFORCED]

    found = {case.name for case in not_ours if not oracle(case).refusal}

    assert found == OURS_LACKS.keys() | THEIRS_MISSES.keys()


@pytest.mark.parametrize("pattern", REGEXES)
def test_the_same_bytes_may_follow_in_a_regular_expression(pattern, byte_compiler):
    source = write_grammar(Regex(pattern))
    assert isinstance(source, GrammarSource)
    compiled, numbers = byte_compiler.compile(source.ebnf), random.Random(pattern)

    steps = [step for _ in range(5) for step in walk(compiled, Oracle.of_regex(pattern), numbers)]

    assert [step for step in steps if step[1] or step[2]] == []
