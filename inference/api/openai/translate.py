"""OpenAI's chat request to ours: the last file on the way in that knows its words."""

from inference.api.openai.messages import to_messages
from inference.api.openai.schemas import ChatCompletionBody
from inference.request import ChatPrompt, GenerationRequest, SamplingChoice


def to_generation_request(body: ChatCompletionBody, request_id: str) -> GenerationRequest:
    """Translate a checked body; raises InvalidRequest for messages that mean nothing."""
    return GenerationRequest(
        id=request_id,
        prompt=ChatPrompt(
            to_messages(body.messages),
            template_options=body.chat_template_kwargs,
        ),
        sampling=SamplingChoice(
            temperature=body.temperature, top_p=body.top_p, top_k=body.top_k, seed=body.seed
        ),
        max_tokens=body.max_tokens,
        stop=body.stop,
    )
