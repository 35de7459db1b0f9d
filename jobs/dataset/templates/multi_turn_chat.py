"""Conversations in which the model plays both sides."""

from collections.abc import AsyncIterator, Iterable

from jobs.dataset.client import ServerClient
from jobs.dataset.fields import Field, FieldType, Inputs
from jobs.dataset.parsing.text import lines
from jobs.dataset.rows import Message, OutputFormat, Row, assistant, messages, system, user
from jobs.dataset.template import Template
from jobs.dataset.work import Work

FOLLOW_UP = """\
You play the user who talks to an assistant. Read the conversation and write the user's next \
message: one short question or request that follows from the last answer. Reply with the message \
and nothing else."""
PERSONA = "\n\nThe user you play: {}"


def build(inputs: Inputs, work: Work) -> Iterable[Row]:
    persona, user_persona = inputs.text("persona"), inputs.text("user_persona")
    begin = [system(persona)] if persona else []
    # The assistant has the last word, since that is what is learned.
    num_answers = (inputs.number("turns") + 1) // 2
    role = system(FOLLOW_UP + (PERSONA.format(user_persona) if user_persona else ""))

    async def talk(seed: str, client: ServerClient) -> AsyncIterator[Row]:
        turns: list[Message] = [user(seed)]
        for number in range(num_answers):
            if number:
                asked = await client.ask(role, user(_transcript(turns)), max_tokens=256)
                turns.append(user(asked.text))
            answer = await client.ask(*begin, *turns)
            turns.append(assistant(answer.text))
        yield messages(*begin, *turns)

    return work.ask_each(lines(inputs.text("seeds")), talk)


def _transcript(turns: list[Message]) -> str:
    return "\n\n".join(f"{turn['role'].capitalize()}: {turn['content']}" for turn in turns)


TEMPLATE = Template(
    id="multi_turn_chat",
    label="Multi-turn chat synthesis",
    description="Has your model hold conversations with itself that begin with your messages.",
    output_format=OutputFormat.MESSAGES,
    needs_llm=True,
    fields=(
        Field(
            name="seeds",
            label="First messages",
            type=FieldType.TEXTAREA,
            hint="One a line, as a user would put it. Each begins a conversation.",
            required=True,
        ),
        Field(
            name="turns",
            label="Messages in a conversation",
            type=FieldType.NUMBER,
            hint="From 2 to 40, the user's and the assistant's together. An odd number gets one "
            "more, so that the assistant has the last word.",
            default=4,
            minimum=2,
            maximum=40,
        ),
        Field(
            name="persona",
            label="The assistant",
            hint="Who the assistant is; becomes the system message.",
        ),
        Field(
            name="user_persona",
            label="The user",
            hint="Who asks; steers the questions, and is not part of the rows.",
        ),
    ),
    build=build,
)
