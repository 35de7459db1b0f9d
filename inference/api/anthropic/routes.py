"""Anthropic's routes. Each view: read, translate, generate, write."""

import secrets

from django.http import HttpRequest, HttpResponseBase, JsonResponse
from ninja import Router

from inference import runtime
from inference.api import json_body, sse
from inference.api.anthropic.errors import error_event
from inference.api.anthropic.message import whole_message
from inference.api.anthropic.openapi.operations import COUNT_TOKENS, MESSAGES
from inference.api.anthropic.schema import MessagesBody, PromptFields
from inference.api.anthropic.stream import MessageStream
from inference.api.anthropic.translate import to_chat_prompt, to_generation_request
from inference.api.warnings import warning_headers
from inference.errors import GenerationFailed
from inference.events import collect

router = Router(tags=["Anthropic"])

_BROKEN = error_event(GenerationFailed("the stream broke; see the server's log"))


@router.post("/v1/messages", openapi_extra=MESSAGES)
async def messages(request: HttpRequest) -> HttpResponseBase:
    body = MessagesBody.from_json(json_body.read_object(request.body))
    request_id = secrets.token_hex(12)
    service = runtime.get_service()
    generation = await service.generate(to_generation_request(body, request_id))
    response: HttpResponseBase
    if body.stream:
        answer = MessageStream(request_id, generation.model_id, body.expects_thinking)
        response = sse.stream(generation, answer.feed, _BROKEN)
    else:
        async with generation:
            completion = await collect(generation)
        response = JsonResponse(
            whole_message(request_id, generation.model_id, completion),
            headers=warning_headers(generation),
        )
    response["request-id"] = f"req_{request_id}"
    return response


@router.post("/v1/messages/count_tokens", openapi_extra=COUNT_TOKENS)
async def count_tokens(request: HttpRequest) -> JsonResponse:
    """Answer how many tokens the prompt would have; nothing is generated."""
    fields = PromptFields.from_json(json_body.read_object(request.body))
    count = await runtime.get_service().count_tokens(to_chat_prompt(fields))
    return JsonResponse({"input_tokens": count})
