"""What comes out of a quantization is served as any other model."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import AsyncClient

from hub.config import HubConfig
from inference import runtime
from inference.model_service import build
from inference.options import ServeOptions
from jobs.emitter import Emitter
from jobs.quantize.run import run

NUM_TOKENS = 12


@pytest.mark.parametrize(
    ("fields", "name"),
    [({"bits": 4}, "tiny/llama-OptiQ-4bit"), ({"target_bpw": 5}, "tiny/llama-OptiQ-mixed-5bpw")],
)
async def test_a_result_is_loaded_by_its_name_and_answers(
    hub: HubConfig,
    local_model: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    fields: dict[str, Any],
    name: str,
) -> None:
    local_model("llama")
    request = {"model_id": "tiny/llama", "group_size": 32, "n_calibration": 2, **fields}
    run(request, Emitter(io.StringIO()))
    service = build(ServeOptions(model=name), hub)
    monkeypatch.setattr(runtime, "_service", service)

    try:
        body = {
            "messages": [{"role": "user", "content": "Hello"}],
            "temperature": 0,
            "max_tokens": NUM_TOKENS,
            "logprobs": True,
        }
        response = await AsyncClient().post(
            "/v1/chat/completions", json.dumps(body), content_type="application/json"
        )
    finally:
        service.close()

    answer = json.loads(response.content)
    assert (response.status_code, answer["model"]) == (200, name)
    assert 0 < answer["usage"]["completion_tokens"] <= NUM_TOKENS
    told = answer["choices"][0]["logprobs"]["content"]
    assert all(-20 < token["logprob"] <= 0 for token in told)
