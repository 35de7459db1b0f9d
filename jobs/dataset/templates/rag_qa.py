"""Questions about passages of documents, with answers that stay with the passage."""

from collections.abc import AsyncIterator, Iterable

from jobs.dataset.client import ServerClient
from jobs.dataset.errors import CallFailed, DatasetError
from jobs.dataset.fields import Field, FieldType, Inputs
from jobs.dataset.parsing.lists import list_schema, parse_list
from jobs.dataset.parsing.text import passages
from jobs.dataset.rows import OutputFormat, Row, assistant, messages, system, user
from jobs.dataset.template import Template
from jobs.dataset.work import Work

QUESTIONS = """\
You write questions that a text answers. Given a text, write {count} different questions that can \
be answered from it alone. Reply with a JSON array of {count} strings and nothing else."""
ANSWER = """\
Answer from the passage alone. If it does not say, tell that it does not.

Passage:
{passage}"""


def build(inputs: Inputs, work: Work) -> Iterable[Row]:
    count, least = inputs.number("questions_per_chunk"), inputs.number("min_chunk_chars")
    chunks = passages(inputs.text("documents"), least)
    if not chunks:
        raise DatasetError(
            f"the documents have fewer than {least:,} characters: give more, or lower "
            "min_chunk_chars"
        )

    async def question(passage: str, client: ServerClient) -> AsyncIterator[Row]:
        asked = await client.ask(
            system(QUESTIONS.format(count=count)),
            user(passage),
            schema=list_schema(count),
            may_be_cut=True,
        )
        questions = parse_list(asked.text)[:count]
        if not questions:
            work.skip("passages without questions")
        context = system(ANSWER.format(passage=passage))
        for text in questions:
            try:
                answer = await client.ask(context, user(text), max_tokens=512)
            except CallFailed:
                continue  # the next question may do better
            yield messages(context, user(text), assistant(answer.text))

    return work.ask_each(chunks, question)


TEMPLATE = Template(
    id="rag_qa",
    label="RAG Q/A from documents",
    description="Has your model ask and answer questions about your documents. Each row brings the "
    "passage along, so that the model learns to answer from what it is given.",
    output_format=OutputFormat.MESSAGES,
    needs_llm=True,
    fields=(
        Field(
            name="documents",
            label="Documents",
            type=FieldType.TEXTAREA,
            hint="Text with blank lines between paragraphs, which are joined to passages.",
            required=True,
        ),
        Field(
            name="questions_per_chunk",
            label="Questions for each passage",
            type=FieldType.NUMBER,
            hint="From 1 to 20. Each makes a call, and each passage one more.",
            default=2,
            maximum=20,
        ),
        Field(
            name="min_chunk_chars",
            label="Characters of a passage, at least",
            type=FieldType.NUMBER,
            hint="From 40 to 20,000.",
            default=200,
            minimum=40,
            maximum=20_000,
        ),
    ),
    build=build,
)
