"""Static files in front of Django."""

import pytest
from asgiref.testing import ApplicationCommunicator

from mlxsite.static import StaticFiles


async def beyond(scope, receive, send):
    await send({"type": "http.response.start", "status": 299, "headers": []})
    await send({"type": "http.response.body", "body": b"beyond"})


@pytest.fixture
def files(tmp_path):
    (tmp_path / "app" / "chunks").mkdir(parents=True)
    (tmp_path / "app" / "page.css").write_text("body {}")
    (tmp_path / "app" / "chunks" / "code-1a2b.js").write_text("1")
    return StaticFiles(beyond, folders={"/static/": [tmp_path], "/assets/": [tmp_path / "app"]})


async def fetch(application, path, method="GET", **headers):
    connection = ApplicationCommunicator(
        application,
        {
            "type": "http",
            "method": method,
            "path": path,
            "headers": [(k.replace("_", "-").encode(), v.encode()) for k, v in headers.items()],
        },
    )
    start = await connection.receive_output(5)
    body = await connection.receive_output(5)
    await connection.wait(5)
    return start["status"], dict(start["headers"]), body["body"]


async def test_a_file_is_sent_with_its_type(files):
    status, headers, body = await fetch(files, "/static/app/page.css")

    assert (status, body) == (200, b"body {}")
    assert headers[b"content-type"].startswith(b"text/css")
    assert headers[b"x-content-type-options"] == b"nosniff"
    assert b"access-control-allow-origin" not in headers


async def test_head_sends_no_body(files):
    status, headers, body = await fetch(files, "/static/app/page.css", "HEAD")

    assert (status, body, headers[b"content-length"]) == (200, b"", b"7")


async def test_an_unchanged_file_is_not_sent_again(files):
    _, headers, _ = await fetch(files, "/static/app/page.css")
    etag = headers[b"etag"].decode()

    status, _, body = await fetch(files, "/static/app/page.css", if_none_match=etag)

    assert (status, body) == (304, b"")


async def test_names_that_hold_a_hash_are_cached_for_ever(files):
    _, hashed, _ = await fetch(files, "/static/app/chunks/code-1a2b.js")
    _, plain, _ = await fetch(files, "/static/app/page.css")

    assert b"immutable" in hashed[b"cache-control"]
    assert b"max-age=0" in plain[b"cache-control"]


async def test_the_web_app_is_cached_for_an_hour(files):
    _, headers, _ = await fetch(files, "/assets/page.css")

    assert headers[b"cache-control"] == b"public, max-age=3600"


@pytest.mark.parametrize(
    ("path", "method"),
    [
        ("/static/none.css", "GET"),
        ("/static/../settings.py", "GET"),
        ("/static/app", "GET"),
        ("/static/app/page.css", "POST"),
        ("/page.css", "GET"),
    ],
)
async def test_everything_else_is_handed_on(files, path, method):
    assert (await fetch(files, path, method))[0] == 299
