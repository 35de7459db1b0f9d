"""What clients ask first: models, health, statistics."""

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture
def org_http(make_service, serve, async_client):
    """Django's client in front of a model with a slash in its name."""
    service = make_service()
    object.__setattr__(service.model, "model_id", "org/name-4bit")
    serve(service)
    return async_client


def test_the_list_has_the_served_model(http):
    # Public case di-01.
    body = http.get("/v1/models").json()

    assert body["object"] == "list"
    [row] = body["data"]
    assert (row["id"], row["object"], row["owned_by"]) == ("scripted", "model", "mlxsite")
    assert isinstance(row["created"], int)


@pytest.mark.parametrize("name", ["org/name-4bit", "org%2Fname-4bit"])
async def test_a_listed_model_is_found_with_and_without_percent_encoding(org_http, name):
    # Public case di-01.
    [listed] = (await org_http.get("/v1/models")).json()["data"]

    body = (await org_http.get(f"/v1/models/{name}")).json()

    assert listed["id"] == "org/name-4bit"
    assert listed.items() <= body.items()


@pytest.mark.parametrize("name", ["nope", "..%2F..%2Fx", ""])
def test_another_model_is_a_json_404(http, name):
    # Public case di-01.
    response = http.get(f"/v1/models/{name}")

    assert response.status_code == 404
    assert "error" in response.json()


def test_clients_of_other_protocols_are_answered_too(http):
    # Public case di-01.
    assert http.get("/v1/models", headers={"anthropic-version": "2023-06-01"}).status_code == 200


def test_health_is_the_exact_bytes_clients_compare(http):
    assert http.get("/health").content == b'{"status": "ok"}'


def test_the_index_names_what_is_served(http):
    body = http.get("/v1").json()

    assert (body["name"], body["model"]) == ("mlxsite", "scripted")
    assert {"POST /v1/chat/completions", "POST /v1/completions"} <= set(body["endpoints"])


def test_the_capabilities_are_those_that_are_there(http):
    [row] = http.get("/v1/models").json()["data"]

    able = {name for name, is_able in row["capabilities"].items() if is_able}
    assert {"chat_completions", "text_completions", "logprobs", "streaming"} <= able


def test_statistics_count_requests(http):
    before = http.get("/stats").json()["batch"]["submitted_rows"]

    http.post("/v1/chat/completions", json={"messages": [{"role": "user", "content": "hi"}]})

    batch = http.get("/stats").json()["batch"]
    assert batch["submitted_rows"] == before + 1
    assert batch["configured"] == 8
