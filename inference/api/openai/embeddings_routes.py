"""OpenAI's embeddings route: read, embed, write."""

import asyncio

from django.http import HttpRequest, JsonResponse
from ninja import Router

from inference import runtime
from inference.api import json_body
from inference.api.openai.embeddings_answer import embeddings_answer
from inference.api.openai.embeddings_schema import EmbeddingsBody
from inference.api.openai.openapi.embeddings import EMBEDDINGS

router = Router(tags=["OpenAI"])


@router.post("/v1/embeddings", openapi_extra=EMBEDDINGS)
async def embeddings(request: HttpRequest) -> JsonResponse:
    body = EmbeddingsBody.from_json(json_body.read_object(request.body))
    vectors = await runtime.get_service().embed(body.request)
    return await asyncio.to_thread(lambda: JsonResponse(embeddings_answer(vectors, body.encoding)))
