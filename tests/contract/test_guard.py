"""Who may talk to the server: the whole application, as a browser, a program or an attacker."""

import pytest
from asgiref.testing import ApplicationCommunicator

from mlxsite.asgi import build_application
from mlxsite.guard import Guard, GuardPolicy
from mlxsite.server.lifecycle import Lifecycle
from mlxsite.sign_in import COOKIE, token_of

HOST = "127.0.0.1:8080"
SELF = f"http://{HOST}"
EVIL = "http://evil.example"
OTHER_PORT = "http://127.0.0.1:1"
JSON = "application/json"
POLICY = GuardPolicy(allowed_hosts=("localhost", "127.0.0.1", "[::1]"))


async def accept_all(scope, receive, send):
    """An application that shows what the guard let through."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
    else:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})


def scope(*, method="POST", path="/v1/things", type="http", **headers):
    named = {name.replace("_", "-").lower(): value for name, value in headers.items()}
    if method == "POST":
        named.setdefault("content-length", "2")
    named.setdefault("host", HOST)
    return {
        "type": type,
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(k.encode(), v.encode()) for k, v in named.items() if v is not None],
    }


async def first_answer(application, request_scope):
    connection = ApplicationCommunicator(application, request_scope)
    if request_scope["type"] == "http":
        await connection.send_input({"type": "http.request", "body": b"{}", "more_body": False})
    else:
        await connection.send_input({"type": "websocket.connect"})
    answer = await connection.receive_output(5)
    if request_scope["type"] == "http":
        await connection.receive_output(5)
    await connection.wait(5)
    return answer


async def status(request_scope, policy=POLICY):
    return (await first_answer(Guard(accept_all, policy), request_scope))["status"]


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        pytest.param({"content_type": JSON}, 200, id="curl or an SDK"),
        pytest.param(
            {"content_type": JSON, "sec_fetch_site": "same-origin", "origin": SELF},
            200,
            id="our own page",
        ),
        pytest.param({"content_type": JSON, "origin": SELF}, 200, id="our page, old browser"),
        pytest.param(
            {"content_type": JSON, "sec_fetch_site": "cross-site", "origin": EVIL},
            403,
            id="another site",
        ),
        pytest.param(
            {"content_type": "text/plain", "sec_fetch_site": "cross-site", "origin": EVIL},
            403,
            id="another site, simple request",
        ),
        pytest.param(
            {"content_type": "text/plain", "origin": EVIL}, 403, id="another site, old browser"
        ),
        pytest.param({"content_type": "text/plain", "origin": "null"}, 403, id="sandboxed frame"),
        pytest.param({"content_type": JSON, "origin": OTHER_PORT}, 403, id="another port"),
        pytest.param(
            {"content_type": JSON, "sec_fetch_site": "same-site", "origin": OTHER_PORT},
            403,
            id="another port, same site",
        ),
        pytest.param({"content_type": "text/plain"}, 415, id="not JSON"),
        pytest.param({"content_type": JSON, "host": "evil.example"}, 403, id="rebinding"),
    ],
)
async def test_writes_come_from_programs_and_our_own_pages_only(headers, expected):
    assert await status(scope(**headers)) == expected


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, 200),
        ({"sec_fetch_site": "same-origin"}, 200),
        ({"sec_fetch_site": "cross-site"}, 403),
        ({"origin": EVIL}, 403),
    ],
)
async def test_a_read_that_acts_is_not_begun_by_another_site(headers, expected):
    request_scope = scope(method="GET", path="/v1/memory/synthesize", **headers)

    assert await status(request_scope) == expected


@pytest.mark.parametrize("path", ["/", "/health", "/v1/models", "/static/frontend/connect.css"])
@pytest.mark.parametrize("host", ["evil.example", "evil.example:8080", "", None, "127.0.0.1,evil"])
async def test_reads_under_a_foreign_host_are_refused_everywhere(path, host):
    application = build_application(policy=POLICY, lifecycle=Lifecycle(timeout=0))

    answer = await first_answer(application, scope(method="GET", path=path, host=host))

    assert answer["status"] == 403


REBINDINGS = [
    {"host": "attacker.example:8080"},
    {"host": "attacker.example:8080", "origin": "http://attacker.example:8080"},
    {"host": "127.0.0.1.attacker.example:8080"},
]
OWN_NAMES = ["localhost:8080", "127.0.0.1:8080", "[::1]:8080", "LOCALHOST"]
ROUTES = [
    ("GET", "/v1/models"),
    ("GET", "/api/memory/search"),
    ("GET", "/api/sessions/search"),
    ("POST", "/api/settings/hf-token"),
    ("DELETE", "/api/settings/tool-approvals"),
    ("GET", "/downloads"),
    ("POST", "/api/hub/download"),
    ("POST", "/api/gc/execute"),
    ("POST", "/v1/completions"),
]


async def answer_to(method, path, policy=POLICY, **headers):
    application = build_application(policy=policy, lifecycle=Lifecycle(timeout=0))
    return await first_answer(
        application, scope(method=method, path=path, content_type=JSON, **headers)
    )


@pytest.mark.parametrize(("method", "path"), ROUTES)
@pytest.mark.parametrize("headers", REBINDINGS)
async def test_a_name_that_was_rebound_to_us_is_refused_on_every_route(method, path, headers):
    """Public case se-01."""
    assert (await answer_to(method, path, **headers))["status"] == 403


@pytest.mark.parametrize(("method", "path"), ROUTES)
@pytest.mark.parametrize("host", OWN_NAMES)
async def test_our_own_names_are_not_refused_on_any_route(method, path, host):
    """Public case se-01."""
    assert (await answer_to(method, path, host=host))["status"] != 403


@pytest.mark.parametrize("headers", REBINDINGS)
async def test_a_name_that_was_rebound_to_us_opens_no_socket(headers):
    """Public case se-01."""
    request = scope(method="GET", path="/ws/chat", type="websocket", **headers)

    assert (await first_answer(Guard(accept_all, POLICY), request))["type"] == "websocket.close"


async def test_further_names_can_be_allowed():
    """Public case se-01."""
    policy = GuardPolicy(allowed_hosts=("127.0.0.1", "attacker.example"))

    answer = await answer_to("GET", "/v1/models", policy, host="attacker.example:8080")

    assert answer["status"] != 403


async def test_a_preflight_is_granted_nothing():
    application = build_application(policy=POLICY, lifecycle=Lifecycle(timeout=0))

    answer = await first_answer(
        application,
        scope(method="OPTIONS", origin=EVIL, access_control_request_method="POST"),
    )

    assert not [name for name, _ in answer["headers"] if name.lower().startswith(b"access-control")]


@pytest.mark.parametrize(
    ("host", "origin", "accepted"),
    [
        pytest.param(HOST, SELF, True, id="our own page"),
        pytest.param(HOST, None, True, id="a program"),
        pytest.param(HOST, EVIL, False, id="another site"),
        pytest.param(HOST, OTHER_PORT, False, id="another port"),
        pytest.param("evil.example", EVIL, False, id="rebinding"),
        pytest.param("evil.example", None, False, id="rebinding without origin"),
        pytest.param(HOST, "null", False, id="sandboxed frame"),
    ],
)
async def test_sockets_come_from_programs_and_our_own_pages_only(host, origin, accepted):
    request = scope(method="GET", path="/ws/chat", type="websocket", host=host, origin=origin)

    answer = await first_answer(Guard(accept_all, POLICY), request)

    assert answer["type"] == ("websocket.accept" if accepted else "websocket.close")


async def test_a_trusted_origin_may_write_and_open_sockets():
    policy = GuardPolicy(allowed_hosts=("127.0.0.1",), trusted_origins=frozenset({EVIL}))
    headers = {"content_type": JSON, "origin": EVIL, "sec_fetch_site": "cross-site"}
    socket = scope(method="GET", type="websocket", origin=EVIL)

    assert await status(scope(**headers), policy) == 200
    assert (await first_answer(Guard(accept_all, policy), socket))["type"] == "websocket.accept"


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"content_type": "application/json; charset=utf-8"}, 200),
        ({"content_type": "Application/JSON"}, 200),
        ({"content_type": None}, 415),
        ({"content_type": "multipart/form-data; boundary=x"}, 415),
        ({"content_length": "0", "content_type": None}, 200),
        ({"content_length": None, "transfer_encoding": "chunked"}, 415),
    ],
)
@pytest.mark.parametrize("path", ["/v1/things", "/api/things"])
async def test_bodies_of_api_writes_are_json(path, headers, expected):
    assert await status(scope(path=path, **headers)) == expected


KEYED = GuardPolicy(allowed_hosts=("127.0.0.1",), api_keys=("first", "sécond"))


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, 401),
        ({"authorization": "Bearer first"}, 200),
        ({"authorization": "bearer first"}, 200),
        ({"x_api_key": "first"}, 200),
        ({"authorization": "Bearer wrong"}, 401),
        ({"authorization": "Basic first"}, 401),
        ({"authorization": "first"}, 401),
        ({"authorization": "Bearer"}, 401),
        ({"x_api_key": ""}, 401),
        ({"x_api_key": "firs"}, 401),
    ],
)
async def test_with_keys_set_a_caller_must_send_one(headers, expected):
    assert await status(scope(method="GET", path="/v1/models", **headers), KEYED) == expected


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/connect", "/health", "/api/docs", "/api/openapi.json", "/api/session"),
        *("/sw.js", "/assets/app.js", "/static/frontend/connect.css"),
        *("/django-admin", "/django-admin/", "/django-admin/login/"),
    ],
)
async def test_health_and_what_a_browser_opens_first_need_no_key(path):
    assert await status(scope(method="GET", path=path), KEYED) == 200


@pytest.mark.parametrize("path", ["/v1", "/api/hub/local", "/stats", "/healthy", "/django-adminx"])
async def test_everything_else_needs_a_key(path):
    assert await status(scope(method="GET", path=path), KEYED) == 401


async def test_sockets_need_a_key_too():
    request = scope(method="GET", path="/ws/chat", type="websocket")
    answer = await first_answer(Guard(accept_all, KEYED), request)

    assert answer["type"] == "websocket.close"


@pytest.mark.parametrize(
    ("cookie", "expected"),
    [
        (f"{COOKIE}={token_of('first')}", 200),
        (f"theme=dark; {COOKIE}={token_of('sécond')}", 200),
        (f"{COOKIE}={token_of('third')}", 401),
        (f"{COOKIE}=first", 401),
        (f"{COOKIE}=", 401),
        (f"other={token_of('first')}", 401),
        ("[;=,", 401),
    ],
    ids=["first", "second", "no key", "bare key", "empty", "other name", "broken"],
)
async def test_a_browser_that_signed_in_sends_a_cookie_instead_of_a_key(cookie, expected):
    request = scope(method="GET", path="/v1/models", cookie=cookie)
    socket = scope(method="GET", path="/ws/chat", type="websocket", origin=SELF, cookie=cookie)

    assert await status(request, KEYED) == expected
    accepted = (await first_answer(Guard(accept_all, KEYED), socket))["type"] == "websocket.accept"
    assert accepted == (expected == 200)


async def test_a_cookie_opens_nothing_to_another_site():
    cookie = f"{COOKIE}={token_of('first')}"
    socket = scope(method="GET", path="/ws/chat", type="websocket", origin=EVIL, cookie=cookie)

    assert await status(scope(origin=EVIL, content_type=JSON, cookie=cookie), KEYED) == 403
    assert (await first_answer(Guard(accept_all, KEYED), socket))["type"] == "websocket.close"


def test_a_token_tells_nothing_of_the_key_and_belongs_to_one_server(settings):
    here = token_of("first")
    settings.SECRET_KEY = "another server's"

    assert "first" not in here
    assert token_of("first") != here


async def test_a_root_path_sent_by_the_client_opens_no_way_around_the_key():
    """Daphne reads it from a header; Django would strip it from the path after the guard."""
    request = scope(method="GET", path="/static/v1/models") | {"root_path": "/static"}
    application = build_application(policy=KEYED, lifecycle=Lifecycle(timeout=0))

    assert (await first_answer(application, request))["status"] == 404
    assert request["root_path"] == ""


@pytest.mark.parametrize("host", ["192.168.1.20:8080", "[fe80::1]:8080", "10.0.0.1"])
async def test_listening_everywhere_accepts_addresses_but_no_foreign_names(host):
    policy = GuardPolicy(allowed_hosts=("127.0.0.1", "studio.local"), any_address=True)

    assert await status(scope(method="GET", host=host), policy) == 200
    assert await status(scope(method="GET", host="studio.local"), policy) == 200
    assert await status(scope(method="GET", host="evil.example"), policy) == 403
    assert await status(scope(method="GET", host=host), POLICY) == 403


def test_a_policy_shows_no_keys_when_printed():
    assert "first" not in repr(KEYED)
