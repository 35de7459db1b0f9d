"""OpenAI's requests to ours: the last file on the way in that knows its words."""

from inference.api.openai.chat_schema import ChatCompletionBody
from inference.api.openai.completion_schema import TextCompletionBody
from inference.api.openai.messages import to_messages
from inference.request import ChatPrompt, GenerationRequest, TextPrompt


def to_generation_request(
    body: ChatCompletionBody | TextCompletionBody, request_id: str
) -> GenerationRequest:
    """Translate a checked body; raises InvalidRequest for messages that mean nothing."""
    fields = body.fields
    return GenerationRequest(
        id=request_id,
        prompt=_prompt(body),
        sampling=fields.sampling,
        max_tokens=fields.max_tokens,
        stop=fields.stop,
        constraint=fields.constraint,
        logprobs=fields.logprobs,
        adapter=fields.adapter,
    )


def _prompt(body: ChatCompletionBody | TextCompletionBody) -> ChatPrompt | TextPrompt:
    if isinstance(body, TextCompletionBody):
        return TextPrompt(body.prompt)
    return ChatPrompt(
        messages=to_messages(body.messages),
        tools=body.tools,
        tool_choice=body.tool_choice,
        thinking=body.thinking,
        effort=body.effort,
        template_options=body.template_options,
    )
