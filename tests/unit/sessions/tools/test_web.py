"""Searching and reading the web, against servers of our own on loopback."""

import asyncio
import contextlib
import json
from contextlib import asynccontextmanager

import pytest

from sessions.tools.base import ToolFailed
from sessions.tools.fetching import MOST_BYTES, Fetcher, _is_public
from sessions.tools.page_text import page_text
from sessions.tools.web_fetch import web_fetch_tool
from sessions.tools.web_search import SearchConfig, web_search_tool


async def ignore(chunk):
    pass


@asynccontextmanager
async def serving(answer):
    """A server that answers each request by `answer(head)`: status line, headers and body."""
    heads = []

    async def handle(reader, writer):
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            heads.append(head)
            reply = answer(head)
            if reply is None:
                await reader.read()  # until the client has had enough
            writer.write(reply or b"")
            await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", heads


def page(body, kind="text/html", status="200 OK", **headers):
    data = body if isinstance(body, bytes) else body.encode()
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(data)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode() + data


async def test_a_page_is_read_as_text():
    html = "<title>T</title><nav>menu</nav><main><h1>Head</h1><p>One <b>two</b>.</p></main>"
    async with serving(lambda head: page(html)) as (url, _):
        result = await web_fetch_tool(Fetcher(allow_private=True)).run({"url": url}, ignore)

    assert result.text == "T\n\nHead\nOne two."


async def test_scripts_are_no_text():
    assert page_text("<body><script>alert(1)</script><p>shown</p></body>") == "shown"


async def test_a_redirect_is_followed_and_looked_at():
    def answer(head):
        if head.startswith("GET /old"):
            return page("", status="302 Found", Location="/new")
        return page("moved", kind="text/plain")

    async with serving(answer) as (url, heads):
        fetched = await Fetcher(allow_private=True).fetch(f"{url}/old")

    assert fetched.body == b"moved"
    assert heads[1].startswith("GET /new")


async def test_redirects_have_an_end():
    async with serving(lambda head: page("", status="302 Found", Location="/")) as (url, _):
        with pytest.raises(ToolFailed, match="more than 5 times"):
            await Fetcher(allow_private=True).fetch(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:1/",
        "http://localhost:1/",
        "http://[::1]/",
        "http://10.0.0.1/",
        "http://192.168.1.1/",
        "http://172.16.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://100.64.0.1/",
        "http://0.0.0.0/",
        "http://[::ffff:127.0.0.1]/",
        "http://[fe80::1]/",
        "http://[2002:7f00:1::]/",
        "http://224.0.0.1/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://[64:ff9b::127.0.0.1]/",
        "http://[64:ff9b::10.0.0.1]/",
        "http://[64:ff9b:1::1]/",
        "http://[::ffff:0:127.0.0.1]/",
        "http://[::127.0.0.1]/",
        "http://[fec0::1]/",
    ],
)
async def test_addresses_of_private_networks_are_not_fetched(url):
    with pytest.raises(ToolFailed, match=r"private network|not known"):
        await Fetcher().fetch(url)


async def test_a_public_page_cannot_redirect_into_the_private_network(monkeypatch):
    async with serving(
        lambda head: page("", status="302 Found", Location="http://127.0.0.1/x")
    ) as (
        url,
        _,
    ):
        fetcher = Fetcher()
        port = int(url.rpartition(":")[2])

        async def resolve(host, wanted):
            if host == "public.example":
                return "127.0.0.1"
            return await Fetcher._resolve(fetcher, host, wanted)

        monkeypatch.setattr(fetcher, "_resolve", resolve)
        with pytest.raises(ToolFailed, match="private network"):
            await fetcher.fetch(f"http://public.example:{port}/")


async def test_a_name_with_one_private_address_among_public_ones_is_refused(monkeypatch):
    async def resolve(host, port, **options):
        return [(0, 0, 0, "", (address, port)) for address in ("93.184.216.34", "127.0.0.1")]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", resolve)

    with pytest.raises(ToolFailed, match="private network"):
        await Fetcher().fetch("http://tricky.example/")


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "2606:4700::1111", "64:ff9b::93.184.216.34", "2002:5db8:d822::1"]
)
def test_addresses_of_the_internet_are_public(address):
    assert _is_public(address)


async def test_a_name_in_other_letters_than_ascii_is_found(monkeypatch):
    async with serving(lambda head: page("found", kind="text/plain")) as (url, heads):
        fetcher, names = Fetcher(allow_private=True), []

        async def resolve(host, port):
            names.append(host)
            return "127.0.0.1"

        monkeypatch.setattr(fetcher, "_resolve", resolve)
        port = url.rpartition(":")[2]
        fetched = await fetcher.fetch(f"http://b\u00fccher.example:{port}/stra\u00dfe")

    assert fetched.body == b"found"
    assert names == ["xn--bcher-kva.example"]
    assert f"Host: xn--bcher-kva.example:{port}" in heads[0]


async def test_a_redirect_to_what_is_no_address_is_a_failure():
    async with serving(lambda head: page("", status="302 Found", Location="http://[::1")) as (
        url,
        _,
    ):
        with pytest.raises(ToolFailed, match="no address"):
            await Fetcher(allow_private=True).fetch(url)


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://a/",
        "http://",
        "x",
        "http://a:b/",
        "http://[::1",
    ],
)
async def test_what_is_no_web_address_is_refused(url):
    with pytest.raises(ToolFailed, match=r"is no http or https|no valid port"):
        await Fetcher().fetch(url)


@pytest.mark.parametrize("host", ["a..b", "\u2024", "x" * 64 + ".example"])
async def test_a_name_that_cannot_be_one_is_not_known(host):
    with pytest.raises(ToolFailed, match=r"is not known|is no http"):
        await Fetcher().fetch(f"http://{host}/")


async def test_a_server_that_does_not_answer_is_given_up_on():
    async with serving(lambda head: None) as (url, _):
        with pytest.raises(ToolFailed, match=r"within 0\.2 s"):
            await Fetcher(allow_private=True).fetch(url, seconds=0.2)


async def test_a_page_is_read_up_to_its_limit():
    async with serving(lambda head: page(b"x" * (MOST_BYTES + 10), "text/plain")) as (url, _):
        fetched = await Fetcher(allow_private=True).fetch(url)

    assert (len(fetched.body), fetched.cut) == (MOST_BYTES, True)


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (page("gone", status="404 Not Found"), "answered 404"),
        (page(b"\x89PNG", kind="image/png"), "image/png, and no text"),
    ],
)
async def test_what_is_no_page_is_explained(reply, problem):
    async with serving(lambda head: reply) as (url, _):
        with pytest.raises(ToolFailed, match=problem):
            await web_fetch_tool(Fetcher(allow_private=True)).run({"url": url}, ignore)


RESULT = """<div class="result"><a class="result__a"
 href="//engine.example/l/?uddg=https%3A%2F%2Fone.example%2Fa">One</a>
<a class="result__snippet">About <b>one</b>.</a></div>"""


async def search(config, **args):
    tool = web_search_tool(config, Fetcher(allow_private=True))
    return (await tool.run(args, ignore)).text


async def test_without_a_key_the_results_are_read_off_a_page():
    async with serving(lambda head: page(RESULT * 12)) as (url, heads):
        text = await search(SearchConfig(keyless=f"{url}/?q="), query="a & b", count=50)

    assert heads[0].startswith("GET /?q=a+%26+b ")
    assert text.startswith("1. One\nhttps://one.example/a\nAbout one.")
    assert "10. One" in text
    assert "11. One" not in text


async def test_a_key_asks_the_engine_it_is_for():
    rows = {"results": [{"title": "T", "url": "https://t.example", "content": "c"}]}
    answer = page(json.dumps(rows), kind="application/json")
    async with serving(lambda head: answer) as (url, heads):
        text = await search(SearchConfig(tavily_key="key-1", tavily=url), query="x")

    assert text == "1. T\nhttps://t.example\nc"
    assert "Bearer key-1" in heads[0]


async def test_a_failing_engine_is_explained_without_the_key():
    async with serving(lambda head: page("no", status="500 Oh")) as (url, _):
        with pytest.raises(ToolFailed) as refused:
            await search(SearchConfig(brave_key="key-2", brave=url), query="x")

    assert "the search failed" in str(refused.value)
    assert "key-2" not in str(refused.value)


async def test_no_results_are_no_failure():
    async with serving(lambda head: page("<p>sorry</p>")) as (url, _):
        assert await search(SearchConfig(keyless=f"{url}/?q="), query="x") == "Nothing was found."
