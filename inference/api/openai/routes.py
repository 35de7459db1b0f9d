"""OpenAI's routes. Each view: read, translate, generate, write."""

import secrets

from django.http import HttpRequest, HttpResponseBase, JsonResponse
from ninja import Router

from inference import runtime
from inference.api import json_body, sse
from inference.api.openai.errors import error_body
from inference.api.openai.schemas import ChatCompletionBody
from inference.api.openai.stream import ChatChunks, completion_body
from inference.api.openai.translate import to_generation_request
from inference.errors import GenerationFailed
from inference.events import collect

router = Router(tags=["OpenAI"])

_BROKEN = sse.encode(error_body(GenerationFailed("the stream broke; see the server's log")))


@router.post("/v1/chat/completions")
async def chat_completions(request: HttpRequest) -> HttpResponseBase:
    body = ChatCompletionBody.from_json(json_body.read_object(request.body))
    service = runtime.get_service()
    request_id = secrets.token_hex(12)
    generation = await service.generate(to_generation_request(body, request_id))
    model = service.model.model_id
    if body.stream:
        return sse.stream(generation, ChatChunks(request_id, model).feed, _BROKEN)
    async with generation:
        completion = await collect(generation)
    return JsonResponse(completion_body(completion, request_id, model))
