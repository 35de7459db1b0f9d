"""More tasks like those that somebody has written."""

from collections.abc import AsyncIterator, Iterable

from jobs.dataset.client import ServerClient
from jobs.dataset.fields import Field, FieldType, Inputs
from jobs.dataset.parsing.lists import list_schema, parse_list
from jobs.dataset.parsing.text import lines
from jobs.dataset.rows import OutputFormat, Row, assistant, messages, system, user
from jobs.dataset.template import Template
from jobs.dataset.work import Work

PROMPT = """\
You write new tasks for an assistant. Given one task, write {count} others of the same kind that \
differ from it and from each other. Reply with a JSON array of {count} strings and nothing else."""


def build(inputs: Inputs, work: Work) -> Iterable[Row]:
    seeds, count = lines(inputs.text("seeds")), inputs.number("variants_per_seed")
    task = system(PROMPT.format(count=count))
    known = {seed.casefold() for seed in seeds}

    async def expand(seed: str, client: ServerClient) -> AsyncIterator[Row]:
        answer = await client.ask(task, user(seed), schema=list_schema(count), may_be_cut=True)
        variants = parse_list(answer.text)
        if not variants:
            work.skip("answers without a list")
        for variant in variants[:count]:
            if variant.casefold() in known:
                work.skip("variants that were there already")
                continue
            known.add(variant.casefold())
            yield messages(user(variant), assistant(""))

    return work.ask_each(seeds, expand)


TEMPLATE = Template(
    id="self_instruct",
    label="Self-instruct expansion",
    description="Has your model think up more tasks like your own. Their answers are left empty, "
    "for you or a better model to fill in: fine-tuning drops rows without one.",
    output_format=OutputFormat.MESSAGES,
    needs_llm=True,
    fields=(
        Field(
            name="seeds",
            label="Tasks to begin with",
            type=FieldType.TEXTAREA,
            hint="One a line, as a user would put it.",
            required=True,
        ),
        Field(
            name="variants_per_seed",
            label="New tasks for each",
            type=FieldType.NUMBER,
            hint="From 1 to 50; the model may come up with fewer.",
            default=5,
            maximum=50,
        ),
    ),
    build=build,
)
