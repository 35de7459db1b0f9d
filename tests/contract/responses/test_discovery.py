"""Clients can find out that the protocol is spoken here."""


async def test_the_protocol_is_announced(play, async_client):
    play()

    [row] = (await async_client.get("/v1/models")).json()["data"]
    index = (await async_client.get("/v1")).json()

    assert row["capabilities"]["responses"] is True
    assert "POST /v1/responses" in index["endpoints"]
