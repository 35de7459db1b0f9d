"""Paragraphs, and what the model makes of them in the style of samples."""

from collections.abc import AsyncIterator, Iterable

from jobs.dataset.client import ServerClient
from jobs.dataset.fields import Field, FieldType, Inputs
from jobs.dataset.parsing.text import paragraphs
from jobs.dataset.rows import OutputFormat, Row, completion, system, user
from jobs.dataset.template import Template
from jobs.dataset.work import Work

LONGEST_SAMPLES = 8_000  # characters; every call carries them
PROMPT = """\
You rewrite text in the style of an author. Keep the meaning and the facts; change only how it is \
said. Reply with the rewritten text and nothing else.

Samples of the author's style:

{samples}"""


def build(inputs: Inputs, work: Work) -> Iterable[Row]:
    samples = inputs.text("reference_samples").strip()
    if len(samples) > LONGEST_SAMPLES:
        work.log(f"of the samples, the first {LONGEST_SAMPLES:,} characters are used")
    task = system(PROMPT.format(samples=samples[:LONGEST_SAMPLES]))

    async def rewrite(paragraph: str, client: ServerClient) -> AsyncIterator[Row]:
        answer = await client.ask(task, user(paragraph))
        yield completion(paragraph, answer.text)

    return work.ask_each(paragraphs(inputs.text("raw_text")), rewrite)


TEMPLATE = Template(
    id="style_transfer",
    label="Style transfer",
    description="Has your model rewrite plain paragraphs in the style of samples; another model "
    "can then learn to do the same.",
    output_format=OutputFormat.PROMPT_COMPLETION,
    needs_llm=True,
    fields=(
        Field(
            name="reference_samples",
            label="Samples of the style",
            type=FieldType.TEXTAREA,
            hint="A few paragraphs by the author to imitate; the first 8,000 characters count.",
            required=True,
        ),
        Field(
            name="raw_text",
            label="Text to rewrite",
            type=FieldType.TEXTAREA,
            hint="Blank lines part paragraphs. Each makes one call and one row.",
            required=True,
        ),
    ),
    build=build,
)
