"""Questions, answered with the reasoning before the answer."""

from collections.abc import AsyncIterator, Iterable

from jobs.dataset.client import ServerClient
from jobs.dataset.fields import Field, FieldType, Inputs
from jobs.dataset.parsing.text import lines
from jobs.dataset.parsing.thoughts import with_thoughts
from jobs.dataset.rows import OutputFormat, Row, assistant, messages, system, user
from jobs.dataset.template import Template
from jobs.dataset.work import Work

PROMPT = """\
Think the question through step by step, and write your steps down. Then write a last paragraph \
that begins with "Answer:" and holds the final answer alone."""
CATEGORY = " The question is about {}."
MAX_TOKENS = 4096


def build(inputs: Inputs, work: Work) -> Iterable[Row]:
    category = inputs.text("category")
    task = system(PROMPT + (CATEGORY.format(category) if category else ""))
    more = {"metadata": {"category": category}} if category else {}

    async def reason(question: str, client: ServerClient) -> AsyncIterator[Row]:
        answer = await client.ask(task, user(question), max_tokens=MAX_TOKENS, thinking=True)
        yield messages(
            user(question), assistant(with_thoughts(answer.text, answer.reasoning)), **more
        )

    return work.ask_each(lines(inputs.text("questions")), reason)


TEMPLATE = Template(
    id="cot_synthesis",
    label="Reasoning trace synthesis",
    description="Has your model answer questions step by step. Its steps stand between <think> and "
    "</think>, before the answer.",
    output_format=OutputFormat.MESSAGES,
    needs_llm=True,
    fields=(
        Field(
            name="questions",
            label="Questions",
            type=FieldType.TEXTAREA,
            hint="One a line; those that take some thought are worth the most.",
            required=True,
        ),
        Field(
            name="category",
            label="Category",
            hint="What the questions are about; told to the model, and kept with each row.",
        ),
    ),
    build=build,
)
