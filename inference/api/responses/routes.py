"""The Responses routes. Each view: read, translate, generate, write."""

import time
from collections.abc import AsyncIterable

from django.http import HttpRequest, HttpResponseBase, JsonResponse
from ninja import Router

from inference import runtime
from inference.api import json_body, sse
from inference.api.responses import ids
from inference.api.responses.answer import ResponseAnswer
from inference.api.responses.conversation import Conversation
from inference.api.responses.errors import NotStored
from inference.api.responses.input_items import additional_tools
from inference.api.responses.openapi import operations as openapi
from inference.api.responses.output_items import Json
from inference.api.responses.response import response_head
from inference.api.responses.schema import ResponsesBody
from inference.api.responses.store import STORE
from inference.api.responses.tools import ToolBox
from inference.api.responses.translate import to_generation_request
from inference.api.warnings import warning_headers
from inference.errors import InvalidRequest
from inference.events import Event, Failed

router = Router(tags=["Responses"])


@router.post("/v1/responses", openapi_extra=openapi.CREATE)
async def create(request: HttpRequest) -> HttpResponseBase:
    body = ResponsesBody.from_json(json_body.read_object(request.body))
    conversation = Conversation.of(body, STORE)
    items = (*conversation.previous, *conversation.new)
    box = ToolBox([*body.tools, *additional_tools(items)])
    request_id = ids.new_request_id()

    def keep(response: Json) -> None:
        if body.store:
            conversation.keep(response, STORE)

    created_at = int(time.time())
    wanted = to_generation_request(body, conversation, box, request_id)
    generation = await runtime.get_service().generate(wanted)
    head = response_head(
        response_id=ids.response_id(request_id),
        created_at=created_at,
        model=generation.model_id,
        fields=body.fields,
        instructions=conversation.instructions,
    )
    answer = ResponseAnswer(request_id=request_id, head=head, box=box, keep=keep)
    if body.stream:
        return sse.stream(generation, answer.write, answer.broken())
    async with generation:
        return JsonResponse(await _whole(generation, answer), headers=warning_headers(generation))


@router.api_operation(
    ["GET", "HEAD"], "/v1/responses/{response_id}", openapi_extra=openapi.RETRIEVE
)
async def retrieve(request: HttpRequest, response_id: str) -> JsonResponse:
    if request.GET.get("stream") == "true":
        raise InvalidRequest("a stored response is complete; ask for it without stream")
    stored = STORE.get(response_id)
    if stored is None:
        raise NotStored("response", response_id)
    return JsonResponse(stored.body)


@router.delete("/v1/responses/{response_id}", openapi_extra=openapi.DELETE)
async def delete(request: HttpRequest, response_id: str) -> JsonResponse:
    if not STORE.delete(response_id):
        raise NotStored("response", response_id)
    return JsonResponse({"id": response_id, "object": "response", "deleted": True})


async def _whole(events: AsyncIterable[Event], answer: ResponseAnswer) -> Json:
    """Read a generation to its end and return the response; raises the error it ended with."""
    told: list[Json] = []
    async for event in events:
        if isinstance(event, Failed):
            raise event.error
        told = list(answer.feed(event))
    response: Json = told[-1]["response"]
    return response
