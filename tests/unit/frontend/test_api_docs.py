"""The page that shows the OpenAPI document."""


async def test_the_page_draws_the_document_of_this_server(async_client):
    response = await async_client.get("/api/docs")

    assert response.status_code == 200
    assert 'data-document="/api/openapi.json"' in response.content.decode()


async def test_the_page_may_load_nothing_from_elsewhere(async_client):
    response = await async_client.get("/api/docs")

    policy = response["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "://" not in response.content.decode() + policy


async def test_head_has_no_body_and_nothing_is_written(async_client):
    head = await async_client.head("/api/docs")

    assert (head.status_code, head.content) == (200, b"")
    assert (await async_client.post("/api/docs")).status_code == 405
