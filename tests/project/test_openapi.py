"""The OpenAPI document: whole, sound, and of one mind with the routes and with docs/api.md."""

import json
import re

import jsonschema
import pytest
from django.urls import URLResolver, get_resolver

from inference.api.anthropic import errors as anthropic
from inference.api.openai import errors as openai
from inference.api.openapi.schema import Component, components
from inference.api.responses import errors as responses
from mlxsite.guard import OPEN_PATHS
from mlxsite.openapi import document
from tests.plugins.openapi import JSON, judge

DOCUMENT = json.loads(json.dumps(document()))
OPERATIONS = {
    f"{method.upper()} {path}": told
    for path, methods in DOCUMENT["paths"].items()
    for method, told in methods.items()
}
REFERENCE = "#/components/schemas/"


def schemas():
    """Every schema of the document that stands somewhere of its own."""
    yield from DOCUMENT["components"]["schemas"].values()
    for told in OPERATIONS.values():
        for part in (told.get("requestBody", {}), *told["responses"].values()):
            yield from (content["schema"] for content in part.get("content", {}).values())
        yield from (parameter["schema"] for parameter in told.get("parameters", ()))


def references(value):
    children = value.values() if isinstance(value, dict) else ()
    for child in value if isinstance(value, list) else children:
        yield from references(child)
    if isinstance(value, dict) and isinstance(value.get("$ref"), str):
        yield value["$ref"]


def mounted(patterns, prefix="/"):
    """Paths of a urlconf as OpenAPI writes them, without the admin pages."""
    for pattern in patterns:
        path = prefix + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(pattern.pattern))
        if not isinstance(pattern, URLResolver):
            yield path
        elif pattern.app_name != "admin":
            yield from mounted(pattern.url_patterns, path)


def test_every_mounted_route_is_in_the_document_and_no_other():
    assert set(DOCUMENT["paths"]) == set(mounted(get_resolver().url_patterns))


def test_the_document_can_be_parsed_by_the_rules_of_its_version():
    names = [told["operationId"] for told in OPERATIONS.values()]
    tags = {tag for told in OPERATIONS.values() for tag in told["tags"]}

    assert DOCUMENT["openapi"].startswith("3.1.")
    assert len(set(names)) == len(names)
    assert {tag["name"] for tag in DOCUMENT["tags"]} <= tags
    for told in OPERATIONS.values():
        assert told["summary"]
        assert all(answer["description"] for answer in told["responses"].values())
    for name in re.findall(r"{(\w+)}", "".join(DOCUMENT["paths"])):
        owners = [told for key, told in OPERATIONS.items() if f"{{{name}}}" in key]
        assert all(name in {p["name"] for p in told["parameters"]} for told in owners)


def test_every_schema_is_one_and_every_reference_leads_to_one():
    for schema in schemas():
        jsonschema.Draft202012Validator.check_schema(schema)

    names = {name.removeprefix(REFERENCE) for name in references(DOCUMENT)}
    assert names | {"NotFound"} == set(DOCUMENT["components"]["schemas"])


def test_what_answers_without_a_key_is_what_the_guard_lets_pass():
    open_ones = [key.split(" ", 1) for key, told in OPERATIONS.items() if told.get("security")]

    # A preflight carries no key, also where the call that follows needs one.
    assert {path for method, path in open_ones if method != "OPTIONS"} == OPEN_PATHS


def test_two_schemas_of_one_name_are_refused():
    twins = [Component("Twin", {"type": "string"}), Component("Twin", {"type": "null"})]

    with pytest.raises(ValueError, match="Twin"):
        components(twins)


def test_the_document_names_no_other_server():
    assert "://" not in json.dumps(DOCUMENT)


@pytest.mark.parametrize(
    ("prefix", "errors"),
    [
        ("/v1/chat/completions", openai),
        ("/v1/completions", openai),
        ("/v1/embeddings", openai),
        ("/v1/responses", responses),
        ("/v1/messages", anthropic),
        ("/v1/messages/count_tokens", anthropic),
    ],
)
def test_every_status_that_a_protocol_gives_an_error_is_in_the_document(prefix, errors):
    statuses = {str(row[1]) for row in errors._WIRE}

    assert statuses <= set(OPERATIONS[f"POST {prefix}"]["responses"])


def test_the_examples_of_the_document_fit_their_schemas():
    checked = 0
    for schema in schemas():
        for example in schema.get("examples", ()):
            judge(DOCUMENT, schema).validate(example)
            checked += 1

    assert checked >= 6


def section(root, title):
    text = (root / "docs" / "api.md").read_text(encoding="utf-8")
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def fields_of_table(text):
    """Names in the first column of a section's first table, dotted as they stand there."""
    table = text[text.index("| Field |") :].partition("\n\n")[0]
    rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`([\w.]+)`", row)}


def properties(schema):
    while "$ref" in schema:
        schema = DOCUMENT["components"]["schemas"][schema["$ref"].removeprefix(REFERENCE)]
    return schema["properties"]


def has_field(schema, name):
    first, _, rest = name.partition(".")
    known = properties(schema)
    return first in known and (not rest or has_field(known[first], rest))


@pytest.mark.parametrize(
    ("path", "titles"),
    [
        ("/v1/chat/completions", ["Chat completions", "Fields of both routes"]),
        ("/v1/completions", ["Fields of both routes"]),
        ("/v1/embeddings", ["Embeddings"]),
        ("/v1/responses", ["Responses"]),
        ("/v1/messages", ["Anthropic Messages"]),
    ],
)
def test_every_field_on_the_page_of_the_api_is_in_the_document(path, titles, root):
    body = OPERATIONS[f"POST {path}"]["requestBody"]["content"][JSON]["schema"]
    names = {name for title in titles for name in fields_of_table(section(root, title))}

    assert names
    assert {name for name in names if not has_field(body, name)} == set()
