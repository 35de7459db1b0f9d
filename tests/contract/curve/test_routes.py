"""`/signal` and `/generate`, which pages of any origin may call."""

import pytest

from inference import runtime

JSON = "application/json"
BENT = {"points": [{"x_pct": 0.1, "y_pct": 0.5}, {"x_pct": 100, "y_pct": 100}]}


@pytest.fixture
def serve(make_service, monkeypatch):
    def serve(answer="A sample.", **options):
        service = make_service(answer, **options)
        monkeypatch.setattr(runtime, "_service", service)
        return service

    return serve


@pytest.fixture
def post(async_client, serve):
    serve()

    async def post(path, body):
        response = await async_client.post(path, body, content_type=JSON)
        assert response["access-control-allow-origin"] == "*"
        return response.status_code, response.json()

    return post


async def test_a_curve_is_sampled_with_seeds_that_follow_one_another(post):
    status, body = await post("/generate", {"prompt": "hi", "curve": BENT, "n": 2, "seed": 7})

    assert status == 200
    assert body == {
        "mode": "curve",
        "n": 2,
        "seed": 7,
        "samples": [{"text": "A sample.", "junk": False}] * 2,
    }


@pytest.mark.parametrize(
    "body", [{}, {"curve": {"points": []}}, {"curve": BENT, "default": True}, {"curve": None}]
)
async def test_without_a_curve_the_model_s_own_recipe_is_told(post, body):
    status, answer = await post("/generate", {"prompt": "hi", "n": 1, "seed": 0, **body})

    assert status == 200
    assert answer["mode"] == "default"
    assert answer["recipe"] == {"temperature": 0.7, "topP": 0, "topK": 0}


@pytest.mark.parametrize(
    ("given", "expected"), [(None, 3), (0, 1), (99, 8), (2.9, 2), ("4", 3), (True, 3)]
)
async def test_the_number_of_samples_is_brought_into_range(post, given, expected):
    body = {"prompt": "hi", "seed": 1} | ({} if given is None else {"n": given})

    assert (await post("/generate", body))[1]["n"] == expected


async def test_a_seed_is_taken_modulo_two_to_the_thirty_two(post):
    assert (await post("/generate", {"prompt": "hi", "seed": 2**32 + 5}))[1]["seed"] == 5
    assert 0 <= (await post("/generate", {"prompt": "hi", "seed": "x"}))[1]["seed"] < 2**32


@pytest.mark.parametrize("path", ["/signal", "/generate"])
@pytest.mark.parametrize(
    ("raw", "error"), [(b"{", "invalid JSON"), (b"[]", "invalid JSON"), (b"{}", "prompt required")]
)
async def test_what_cannot_be_understood_is_refused(async_client, serve, path, raw, error):
    serve()

    response = await async_client.generic("POST", path, raw, content_type=JSON)

    assert (response.status_code, response.json()) == (400, {"error": error})


async def test_a_falling_curve_is_refused(post):
    points = [{"x_pct": 1, "y_pct": 50}, {"x_pct": 50, "y_pct": 1}]

    status, body = await post("/generate", {"prompt": "hi", "curve": {"points": points}})

    expected = "curve is not monotone — all segment slopes must be ≥ 0"
    assert (status, body) == (400, {"error": expected})


@pytest.mark.parametrize("point", [{}, {"x_pct": "1", "y_pct": 1}, {"x_pct": -1, "y_pct": 1}, 3])
async def test_a_point_that_is_none_is_refused(post, point):
    curve = {"points": [point, {"x_pct": 100, "y_pct": 100}]}

    status, body = await post("/generate", {"prompt": "hi", "curve": curve})

    assert (status, body["error"]) == (
        400,
        "each point of a curve needs x_pct and y_pct, numbers of percent",
    )


async def test_text_that_has_come_apart_is_marked(async_client, serve):
    serve("日本語 and more")

    response = await async_client.post("/generate", {"prompt": "hi", "n": 1}, content_type=JSON)

    assert response.json()["samples"] == [{"text": "日本語 and more", "junk": True}]


async def test_a_model_without_weights_has_no_signal(post):
    status, body = await post("/signal", {"prompt": "hi"})

    assert (status, body) == (400, {"error": "the served model has no weights to look into"})


@pytest.mark.parametrize("path", ["/signal", "/generate"])
async def test_preflights_are_answered(async_client, path):
    response = await async_client.options(path)

    assert response.status_code == 204
    assert response["access-control-allow-origin"] == "*"
    assert "content-type" in response["access-control-allow-headers"]
