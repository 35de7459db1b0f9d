"""OpenAI's routes. Each view: read, translate, generate, write."""

import secrets

from django.http import HttpRequest, HttpResponseBase, JsonResponse
from ninja import Router

from inference import runtime
from inference.api import json_body, sse
from inference.api.openai.chat_answer import ChatAnswer
from inference.api.openai.chat_schema import ChatCompletionBody
from inference.api.openai.completion_schema import TextCompletionBody
from inference.api.openai.errors import stream_error_body
from inference.api.openai.openapi.chat import CHAT_COMPLETIONS
from inference.api.openai.openapi.completions import COMPLETIONS
from inference.api.openai.text_answer import TextAnswer
from inference.api.openai.tracing import begin_trace
from inference.api.openai.translate import to_generation_request
from inference.api.warnings import warning_headers
from inference.errors import GenerationFailed
from inference.events import collect
from inference.trace import Outcome, Phase, Stage, guarded, measured

router = Router(tags=["OpenAI"])

_BROKEN = sse.encode(stream_error_body(GenerationFailed("the stream broke; see the server's log")))


@router.post("/v1/chat/completions", openapi_extra=CHAT_COMPLETIONS)
async def chat_completions(request: HttpRequest) -> HttpResponseBase:
    return await _answer(request, ChatCompletionBody, ChatAnswer)


@router.post("/v1/completions", openapi_extra=COMPLETIONS)
async def completions(request: HttpRequest) -> HttpResponseBase:
    return await _answer(request, TextCompletionBody, TextAnswer)


async def _answer(
    http: HttpRequest,
    schema: type[ChatCompletionBody] | type[TextCompletionBody],
    form: type[ChatAnswer] | type[TextAnswer],
) -> HttpResponseBase:
    request_id = secrets.token_hex(12)
    trace = begin_trace(http, form.ID_PREFIX + request_id)
    with guarded(trace, Stage.BODY_PARSE), measured(trace, Phase.BODY_PARSE):
        body = schema.from_json(json_body.read_object(http.body))
    with guarded(trace, Stage.PREPARE_COMPLETION):
        request = to_generation_request(body, request_id)
        generation = await runtime.get_service().generate(request, trace)
        answer = form(request_id, generation.model_id)
    if body.fields.stream:
        return sse.stream(generation, answer.feed, _BROKEN, trace)
    with guarded(trace):
        async with generation:
            completion = await collect(generation)
        response = JsonResponse(answer.whole(completion), headers=warning_headers(generation))
    if trace is not None:
        trace.wrote()
        trace.finish(Outcome.SUCCESS)
    return response
