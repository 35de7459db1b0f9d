"""What is stored, over HTTP."""

import pytest

PATH = "/v1/responses"


async def test_a_request_that_forbids_it_is_not_stored(play, post, store):
    play()

    reply = await post({"input": "hi", "store": False})
    streamed = await post({"input": "hi", "store": False, "stream": True})

    assert reply.body["store"] is False
    assert streamed.events[-1]["response"]["store"] is False
    assert store.stats()["entries"] == 0


async def test_a_stored_response_is_the_one_that_was_sent(play, post, async_client):
    play()
    sent = (await post({"input": "hi"})).body

    response = await async_client.get(f"{PATH}/{sent['id']}")

    assert (response.status_code, response.json()) == (200, sent)
    assert (await async_client.head(f"{PATH}/{sent['id']}")).status_code == 200


async def test_a_response_is_removed_once(play, post, async_client, store):
    play()
    wire_id = (await post({"input": "hi"})).body["id"]

    first = await async_client.delete(f"{PATH}/{wire_id}")
    second = await async_client.delete(f"{PATH}/{wire_id}")

    assert first.json() == {"id": wire_id, "object": "response", "deleted": True}
    assert second.status_code == 404
    assert second.json()["error"]["type"] == "invalid_request_error"
    assert store.stats()["bytes"] == 0


async def test_a_child_outlives_its_parent(play, post, async_client):
    prompts = play()
    parent = (await post({"input": "one"})).body["id"]
    child = (await post({"input": "two", "previous_response_id": parent})).body["id"]
    await async_client.delete(f"{PATH}/{parent}")

    reply = await post({"input": "three", "previous_response_id": child})

    assert reply.status == 200
    assert "<user>one\n<assistant>Hello there\n<user>two" in prompts[-1]


@pytest.mark.parametrize("method", ["get", "delete"])
async def test_what_was_never_there_is_404(play, async_client, method):
    play()

    response = await getattr(async_client, method)(f"{PATH}/resp_0")

    assert response.status_code == 404
    assert "not found" in response.json()["error"]["message"]


async def test_a_stored_response_is_not_streamed(play, post, async_client):
    play()
    wire_id = (await post({"input": "hi"})).body["id"]

    response = await async_client.get(f"{PATH}/{wire_id}?stream=true")

    assert response.status_code == 400
    assert "without stream" in response.json()["error"]["message"]


async def test_a_broken_reference_is_404(play, post):
    play()

    reply = await post({"input": [{"type": "item_reference", "id": "msg_0"}]})

    assert reply.status == 404
    assert reply.body["error"]["message"].startswith("item with id 'msg_0' not found")


async def test_other_methods_are_refused(play, async_client):
    play()

    response = await async_client.get(PATH)

    assert (response.status_code, response["Allow"]) == (405, "POST")
