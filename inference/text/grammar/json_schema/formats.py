"""The formats of strings that JSON Schema names, as regular expressions of the whole text.

Each matches only what its format allows, not always all of it: years have four digits, and
names of hosts 31 characters between two dots.
"""

_LEAP_YEAR = r"(?:[1-9]\d(?:0[48]|[2468][048]|[13579][26])|(?:[2468][048]|[13579][26])00)"
_DATE = (
    r"(?:[1-9]\d{3}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])"
    r"|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8]))"
    rf"|{_LEAP_YEAR}-02-29)"
)
_TIME = r"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)"

_N = r"\d{1,9}"
_MONTHS, _MINUTES = rf"{_N}M(?:{_N}D)?", rf"{_N}M(?:{_N}S)?"
_CLOCK = rf"T(?:{_N}H(?:{_MINUTES})?|{_MINUTES}|{_N}S)"
_DURATION = rf"P(?:{_N}W|{_CLOCK}|(?:{_N}Y(?:{_MONTHS})?|{_MONTHS}|{_N}D)(?:{_CLOCK})?)"

# Letters of scripts that read from left to right and are names of hosts as they stand.
_LETTERS = r"à-öø-ÿα-ωа-яぁ-んァ-ヶ一-龥가-힣"


def _host(alphanumeric: str) -> str:
    label = rf"[{alphanumeric}](?:[{alphanumeric}-]{{0,29}}[{alphanumeric}])?"
    return rf"{label}(?:\.{label})*"


def _email(alphanumeric: str) -> str:
    atom = rf"[{alphanumeric}_+-]+"
    return rf"{atom}(?:\.{atom})*@{_host(alphanumeric)}"


_ALPHANUMERIC = "A-Za-z0-9"
_HOST = _host(_ALPHANUMERIC)
_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_IPV4 = rf"{_OCTET}(?:\.{_OCTET}){{3}}"
_H16 = r"[0-9a-fA-F]{1,4}"
# Eight groups, or a gap with at most seven around it.
_IPV6 = "|".join(
    [
        rf"{_H16}(?::{_H16}){{7}}",
        rf"::(?:{_H16}(?::{_H16}){{0,6}})?",
        *(rf"(?:{_H16}:){{{n}}}:(?:{_H16}(?::{_H16}){{0,{6 - n}}})?" for n in range(1, 7)),
        rf"(?:{_H16}:){{7}}:",
    ]
)

_SCHEME = "[A-Za-z][A-Za-z0-9+.-]*:"


def _reference(beyond_ascii: str, *, scheme: str) -> str:
    """Return the pattern of a URI by RFC 3986, section 3; hosts are names or IPv4 addresses."""
    char = rf"(?:[{_ALPHANUMERIC}._~!$&'()*+,;=:@{beyond_ascii}-]|%[0-9A-Fa-f]{{2}})"
    first = char if scheme else char.replace(":@", "@")  # else it would read as a scheme
    path = rf"(?:/{char}*)*"
    host = rf"[{_ALPHANUMERIC}._~-]+"
    authority = rf"//(?:{host}@)?{host}(?::\d{{1,5}})?{path}"
    start = rf"(?:{authority}|/(?:{char}+{path})?|{first}+{path}{'' if scheme else '|'})"
    tail = rf"(?:{char}|[/?])*"
    return rf"{scheme}{start}(?:\?{tail})?(?:#{tail})?"


_UCS = r"\u00a1-\ud7ff\uf900-\ufdcf\ufdf0-\uffef"  # RFC 3987, section 2.2
_POINTER = r"(?:/(?:[^~/]|~[01])*)*"
_VARIABLE = r"[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*(?::[1-9]\d{0,3}|\*)?"

PATTERNS = {
    "date": _DATE,
    "time": _TIME,
    "date-time": rf"{_DATE}T{_TIME}",
    "duration": _DURATION,
    "email": _email(_ALPHANUMERIC),
    "idn-email": _email(_ALPHANUMERIC + _LETTERS),
    "hostname": _HOST,
    "idn-hostname": _host("a-z0-9" + _LETTERS),
    "ipv4": _IPV4,
    "ipv6": _IPV6,
    "uri": _reference("", scheme=_SCHEME),
    "uri-reference": _reference("", scheme=_SCHEME) + "|" + _reference("", scheme=""),
    "iri": _reference(_UCS, scheme=_SCHEME),
    "iri-reference": _reference(_UCS, scheme=_SCHEME) + "|" + _reference(_UCS, scheme=""),
    "uri-template": (
        r"(?:[A-Za-z0-9._~!$&()*+,;=:@/?#\[\]-]|%[0-9A-Fa-f]{2}"
        rf"|\{{[+#./;?&]?{_VARIABLE}(?:,{_VARIABLE})*\}})*"
    ),
    "uuid": r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}",
    "json-pointer": _POINTER,
    "relative-json-pointer": rf"(?:0|[1-9]\d{{0,8}})(?:#|{_POINTER})",
}
# No automaton tells whether a text is one of these.
UNENFORCED = {"regex"}
