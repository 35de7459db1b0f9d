"""OpenAI's routes. Each view: read, translate, generate, write."""

import secrets

from django.http import HttpRequest, HttpResponseBase, JsonResponse
from ninja import Router

from inference import runtime
from inference.api import json_body, sse
from inference.api.openai.chat_answer import ChatAnswer
from inference.api.openai.chat_schema import ChatCompletionBody
from inference.api.openai.completion_schema import TextCompletionBody
from inference.api.openai.errors import error_body
from inference.api.openai.text_answer import TextAnswer
from inference.api.openai.translate import to_generation_request
from inference.errors import GenerationFailed
from inference.events import collect

router = Router(tags=["OpenAI"])

_BROKEN = sse.encode(error_body(GenerationFailed("the stream broke; see the server's log")))


@router.post("/v1/chat/completions")
async def chat_completions(request: HttpRequest) -> HttpResponseBase:
    body = ChatCompletionBody.from_json(json_body.read_object(request.body))
    return await _answer(body, ChatAnswer)


@router.post("/v1/completions")
async def completions(request: HttpRequest) -> HttpResponseBase:
    body = TextCompletionBody.from_json(json_body.read_object(request.body))
    return await _answer(body, TextAnswer)


async def _answer(
    body: ChatCompletionBody | TextCompletionBody, form: type[ChatAnswer] | type[TextAnswer]
) -> HttpResponseBase:
    service = runtime.get_service()
    request = to_generation_request(body, secrets.token_hex(12))
    answer = form(request.id, service.model.model_id)
    generation = await service.generate(request)
    if body.fields.stream:
        return sse.stream(generation, answer.feed, _BROKEN)
    async with generation:
        completion = await collect(generation)
    return JsonResponse(answer.whole(completion))
