"""What the curve designer asks for: how likely the next tokens are, and samples along a curve.

Pages of any origin may call these two, so they answer preflights, and say so in each answer.
"""

import logging
import uuid
from collections.abc import Awaitable, Callable
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import Router

from inference import runtime
from inference.api.curve import openapi
from inference.api.curve.body import BadBody, GenerateBody, read_generate, read_json, read_prompt
from inference.api.curve.junk import is_junk
from inference.defaults import FALLBACK_TEMPERATURE
from inference.errors import EngineNotRunning, InferenceError, InvalidRequest, QueueFull
from inference.events import collect
from inference.messages import Message, Role
from inference.request import ChatPrompt, GenerationRequest, SamplingChoice

logger = logging.getLogger(__name__)
router = Router(tags=["Curves"])

CORS = {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "POST, OPTIONS",
    "access-control-allow-headers": "content-type, authorization, x-api-key",
}


@router.api_operation(["OPTIONS"], "/signal", openapi_extra=openapi.preflight("Signal"))
async def allow_signal(request: HttpRequest) -> HttpResponse:
    return HttpResponse(status=204, headers=CORS)


@router.api_operation(["OPTIONS"], "/generate", openapi_extra=openapi.preflight("Generate"))
async def allow_generate(request: HttpRequest) -> HttpResponse:
    return HttpResponse(status=204, headers=CORS)


@router.post("/signal", openapi_extra=openapi.SIGNAL)
async def signal(request: HttpRequest) -> JsonResponse:
    async def answer() -> dict[str, Any]:
        prompt = _prompt(read_prompt(read_json(request.body)))
        found = await runtime.get_service().signal(prompt)
        return {"bins": found.bins, "vocab": found.vocab}

    return await _answer(answer, "signal")


@router.post("/generate", openapi_extra=openapi.GENERATE)
async def generate(request: HttpRequest) -> JsonResponse:
    async def answer() -> dict[str, Any]:
        body = read_generate(read_json(request.body))
        samples = [await _sample(body, body.seed + index) for index in range(body.n)]
        told = {"n": body.n, "seed": body.seed, "samples": samples}
        if body.curve is not None:
            return {"mode": "curve", **told}
        return {"mode": "default", "recipe": _recipe(), **told}

    return await _answer(answer, "generation")


async def _sample(body: GenerateBody, seed: int) -> dict[str, Any]:
    sampling = SamplingChoice(seed=seed)
    if body.curve is not None:
        sampling = SamplingChoice(seed=seed, transfer_curve=body.curve, temperature=1.0)
    request = GenerationRequest(
        id=f"curve-{uuid.uuid4().hex}",
        prompt=_prompt(body.prompt),
        sampling=sampling,
        max_tokens=body.max_tokens,
    )
    async with await runtime.get_service().generate(request) as generation:
        text = (await collect(generation)).text.strip()
    return {"text": text, "junk": is_junk(text)}


async def _answer(answer: Callable[[], Awaitable[dict[str, Any]]], noun: str) -> JsonResponse:
    try:
        return JsonResponse(await answer(), headers=CORS)
    except BadBody as error:
        return _error(400, str(error))
    except InvalidRequest as error:
        return _error(400, error.message)
    except (QueueFull, EngineNotRunning) as error:
        return _error(429 if isinstance(error, QueueFull) else 503, error.message)
    except InferenceError as error:
        return _error(500, f"{noun} failed: {error.message}")
    except Exception as error:
        logger.exception("%s failed", noun)
        return _error(500, f"{noun} failed: {type(error).__name__}")


def _error(status: int, text: str) -> JsonResponse:
    return JsonResponse({"error": text}, status=status, headers=CORS)


def _prompt(text: str) -> ChatPrompt:
    return ChatPrompt((Message(Role.USER, text),))


def _recipe() -> dict[str, float]:
    """How the model draws where a request says nothing."""
    defaults = runtime.get_service().gen_defaults
    temperature = defaults.temperature
    return {
        "temperature": FALLBACK_TEMPERATURE if temperature is None else temperature,
        "topP": defaults.top_p or 0,
        "topK": defaults.top_k or 0,
    }
