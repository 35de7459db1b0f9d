"""Lengths, patterns and formats."""

from tests.plugins.schema_battery.case import Case, enforced, in_part


def of_format(name: str, valid: list[str], invalid: list[str]) -> Case:
    schema = {"type": "string", "format": name}
    return enforced(f"the format {name}", schema, valid, [*invalid, 1])


BAD_PATTERN = "pattern (regular expression: "

LENGTHS = [
    enforced(
        "a shortest length",
        {"type": "string", "minLength": 2},
        ["ab", "é\n", "😀😀", "x" * 300],
        ["", "a", "\n", "😀"],
        spellings=[r'"\u00e9\n"', r'"\ud83d\ude00\""'],
        broken=[r'"\ud83d\ude00"', r'"\n"', '"a\nb"', '"\t\t"'],
    ),
    enforced(
        "a longest length",
        {"type": "string", "maxLength": 3},
        ["", "a", '"\\\n', "😀😀😀"],
        ["abcd", "😀😀😀😀"],
        spellings=[r'"\u0061\u0062\ud83d\ude00"', r'"\/\/\/"'],
        broken=[r'"\u0061\u0062\u0063\u0064"', r'"\ud83d"'],
    ),
    enforced(
        "an exact length",
        {"type": "string", "minLength": 2, "maxLength": 2},
        ["ab", "\t\t"],
        ["a", "abc"],
    ),
    enforced("an empty string", {"type": "string", "maxLength": 0}, [""], ["a"]),
    enforced("a string that is not empty", {"minLength": 1, "type": "string"}, [" ", "\n"], [""]),
    enforced(
        "a text of up to 500",
        {"type": "string", "minLength": 1, "maxLength": 500},
        ["x", "é" * 500],
        ["", "x" * 501],
    ),
    enforced("lengths as fractions", {"type": "string", "minLength": 2.0}, ["ab"], ["a"]),
    in_part(
        "maxLength",
        "a bound that nobody counts to",
        {"type": "string", "minLength": 2, "maxLength": 100_000},
        ["ab", "x" * 1000],
        ["a", 1],
    ),
]

PATTERNS = [
    enforced(
        "a pattern found anywhere", {"type": "string", "pattern": "[0-9]+"}, ["a1b"], ["", "ab"]
    ),
    enforced(
        "a pattern at the start", {"type": "string", "pattern": "^ab"}, ["ab", "abc"], ["cab"]
    ),
    enforced(
        "a pattern at the end", {"type": "string", "pattern": "b[a-z]*$"}, ["ab", "cabc"], ["abC"]
    ),
    enforced(
        "a pattern of the whole",
        {"type": "string", "pattern": "^[A-Z]{2,3}-\\d{4}$"},
        ["AB-1234", "ABC-0000"],
        ["A-1234", "ABCD-1234", "AB-123", "xAB-1234", "AB-12345"],
    ),
    enforced(
        "a pattern of alternatives",
        {"type": "string", "pattern": "^(?:yes|no|maybe not)$"},
        ["yes", "no", "maybe not"],
        ["maybe", "yesno", ""],
    ),
    enforced(
        "alternatives with ends of their own",
        {"type": "string", "pattern": "^a|b$"},
        ["ax", "xb", "a", "b"],
        ["xa", "bx", ""],
    ),
    enforced(
        "a pattern with escapes",
        {"type": "string", "pattern": '^["\\\\\\n]+$'},
        ['"', "\\\n"],
        ["a", ""],
        spellings=[r'"\"\\"', r'"\n"'],
        broken=['"""', r'"\t"'],
    ),
    enforced(
        "a pattern and lengths",
        {"type": "string", "pattern": "^[a-z]+$", "minLength": 3, "maxLength": 5},
        ["abc", "abcde"],
        ["ab", "abcdef", "ABC"],
    ),
    enforced(
        "a pattern beyond ASCII",
        {"type": "string", "pattern": "^[\\u3042-\\u3093é😀]+$"},
        ["あん", "é😀"],
        ["a", "e"],
    ),
    enforced(
        "a pattern with classes of its own",
        {"type": "string", "pattern": "^\\w+\\s[^\\d\\s,]*\\.?$"},
        ["ab_1 x.", "a ", "z y"],
        [" x", "a 1", "a b,"],
    ),
    enforced(
        "a pattern with named groups and lazy quantifiers",
        {"type": "string", "pattern": "^(?<year>\\d{4})(?:-(\\d\\d?)){1,2}?.*?$"},
        ["2024-1", "2024-12-31 x"],
        ["24-1", "2024"],
    ),
    enforced("a pattern of nothing", {"type": "string", "pattern": ""}, ["", "x"], [1]),
    enforced(
        "a pattern with a slash", {"type": "string", "pattern": "^a\\/b\\-c$"}, ["a/b-c"], ["a"]
    ),
    in_part(
        BAD_PATTERN + "look-around",
        "a pattern that looks ahead",
        {"type": "string", "pattern": "^(?=.*\\d)[a-z0-9]+$", "maxLength": 4},
        ["a1", "12"],
        ["abcde"],
        missed=["ab"],
    ),
    in_part(
        BAD_PATTERN + "look-around",
        "a pattern without regard to case",
        {"type": "object", "properties": {"a": {"pattern": "(?i)^ab$", "type": "string"}}},
        [],
        [{"a": 1}],
    ),
    in_part(
        BAD_PATTERN + "\\b",
        "a pattern with word boundaries",
        {"type": "string", "pattern": "\\bcat\\b"},
        ["a cat"],
        [1],
        missed=["cats"],
    ),
    in_part(
        BAD_PATTERN + "\\1",
        "a pattern that refers back",
        {"type": "string", "pattern": "^(a|b)\\1$"},
        ["aa"],
        [None],
        missed=["ab"],
    ),
    enforced(
        "a pattern of letters",
        {"type": "string", "pattern": "^\\p{Lu}[\\p{L}\\p{Nd} '-]*\\P{Letter}$"},
        ["Ärger!", "Où est 3.", "Я?"],
        ["ärger!", "Ärger", "3!"],
    ),
    in_part(
        BAD_PATTERN + "\\p",
        "a pattern of a script",
        {"type": "string", "pattern": "^\\p{Script=Greek}+$"},
        [],
        [1],
    ),
    in_part(
        BAD_PATTERN + "a class without ]",
        "a pattern with a fault",
        {"type": "array", "items": {"type": "string", "pattern": "(["}},
        [],
        [1, [1]],
    ),
    in_part(
        "pattern (its text needs an automaton",
        "a pattern too large",
        {"type": "string", "pattern": "^(?:[a-z]{1,200}[0-9]){1,200}$"},
        ["a1"],
        [0],
    ),
]

FORMATS = [
    of_format("date", ["2024-02-29", "1999-12-31"], ["2023-02-29", "2024-1-1", "2024-04-31", "x"]),
    of_format("time", ["23:59:59Z", "00:00:00.25+02:00"], ["24:00:00Z", "1:00:00Z"]),
    of_format(
        "date-time",
        ["2024-02-29T00:00:00Z", "2023-04-30T12:30:00.5-07:00"],
        ["2024-02-29", "2024-02-30T00:00:00Z", "2024-02-29T25:00:00Z"],
    ),
    of_format("duration", ["P3D", "PT5M", "P2W"], ["3D", "P"]),
    of_format("email", ["a.b+c@example.com", "x_y@sub.example.org"], ["a@", "@b", "a b@c"]),
    of_format("idn-email", ["a@b.example", "jürgen@müller.example"], ["a@", "x"]),
    of_format("hostname", ["example.com", "a-b.c1"], ["-a", "a..b", "a_b"]),
    of_format("idn-hostname", ["example.com", "müller.example"], ["-a", "a b"]),
    of_format("ipv4", ["127.0.0.1", "255.255.255.0"], ["256.1.1.1", "1.2.3"]),
    of_format("ipv6", ["::1", "2001:db8:0:0:0:0:0:1"], ["1:2", "g::"]),
    of_format("uri", ["https://a.example/b?c=d#e", "mailto:a@b.c"], ["a b", "/x"]),
    of_format("uri-reference", ["/a/b?c#d", "https://a.example", "../x"], ["a b", "\\"]),
    of_format("iri", ["https://a.example/é", "urn:x"], ["/x", "a b"]),
    of_format("iri-reference", ["/é", "x?y#z"], ["a b", "\\"]),
    of_format("uri-template", ["https://a.example/{id}{?q,r}", "x"], ["{", "a b"]),
    of_format("uuid", ["123e4567-e89b-12d3-a456-426614174000"], ["123e4567", "x" * 36]),
    of_format("json-pointer", ["", "/a/0/~0~1"], ["a", "/~2"]),
    of_format("relative-json-pointer", ["0#", "1/a"], ["/a", "-1", "01"]),
    in_part(
        "format regex",
        "the format regex",
        {"format": "regex", "type": "string"},
        ["a+"],
        [1],
        missed=["("],
    ),
    enforced("a format that nobody knows", {"type": "string", "format": "int32"}, ["x"], [1]),
    enforced(
        "a format, a pattern and a length",
        {"type": "string", "format": "email", "pattern": "@example\\.com$", "maxLength": 15},
        ["me@example.com"],
        ["me@example.org", "someone@example.com", "@example.com"],
    ),
    enforced(
        "what text contains is an annotation",
        {"type": "string", "contentEncoding": "base64", "contentMediaType": "text/plain"},
        ["YQ==", "?"],
        [1],
    ),
]

CASES = [*LENGTHS, *PATTERNS, *FORMATS]
