"""Paragraphs, with the prompt that might have asked for them and a plain draft."""

from collections.abc import AsyncIterator, Iterable

from jobs.dataset.client import ServerClient
from jobs.dataset.fields import Field, FieldType, Inputs
from jobs.dataset.parsing.text import names, paragraphs
from jobs.dataset.rows import OutputFormat, Row, assistant, messages, system, user
from jobs.dataset.template import Template
from jobs.dataset.work import Work

INFER = """\
You read a text and work out what its author was asked to write. Reply with that request in one or \
two sentences, as a user would put it, and nothing else."""
DRAFT = """\
You write a plain first draft for the request. Be brief and matter-of-fact. Reply with the draft \
and nothing else."""
WISHES = {
    "style": "Style: {}",
    "tone": "Tone: {}",
    "preserve": "Keep unchanged: {}",
    "avoid": "Avoid: {}",
}


def build(inputs: Inputs, work: Work) -> Iterable[Row]:
    wishes = [
        words.format(inputs.text(name)) for name, words in WISHES.items() if inputs.text(name)
    ]
    locks, avoided = names(inputs.text("preserve")), names(inputs.text("avoid"))

    async def reconstruct(target: str, client: ServerClient) -> AsyncIterator[Row]:
        prompt = (await client.ask(system(INFER), user(target), max_tokens=256)).text
        draft = (await client.ask(system(DRAFT), user(prompt))).text
        request = "\n".join([prompt, *wishes])
        yield messages(
            user(f"{request}\n\nDraft:\n{draft}"),
            assistant(target),
            metadata={
                "prompt": prompt,
                "draft": draft,
                "style": inputs.text("style"),
                "tone": inputs.text("tone"),
                "avoid": avoided,
                "preservation_locks": _kept(locks, target),
            },
        )

    return work.ask_each(paragraphs(inputs.text("target_text")), reconstruct)


def _kept(locks: list[str], target: str) -> list[str]:
    """Those of the words to keep that the paragraph has: only they can be held to it."""
    return [lock for lock in locks if lock.casefold() in target.casefold()]


TEMPLATE = Template(
    id="prompt_reconstruction",
    label="Prompt reconstruction",
    description="Has your model guess the request behind each paragraph of good writing, and draft "
    "it plainly. What is learned is the way from the draft to your original.",
    output_format=OutputFormat.MESSAGES,
    needs_llm=True,
    fields=(
        Field(
            name="target_text",
            label="Text to learn",
            type=FieldType.TEXTAREA,
            hint="Blank lines part paragraphs. Each makes two calls and one row.",
            required=True,
        ),
        Field(name="style", label="Style", hint="How the text is written, in a few words."),
        Field(name="tone", label="Tone", hint="How it sounds, in a few words."),
        Field(
            name="preserve",
            label="To be kept",
            hint="Words that a rewrite must leave alone, with commas between them.",
        ),
        Field(name="avoid", label="To be avoided", hint="What a rewrite shall not have."),
    ),
    build=build,
)
