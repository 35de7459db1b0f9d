"""Programs that the model writes, each run to see whether it works."""

from collections.abc import AsyncIterator, Iterable
from typing import Any

from jobs.dataset.client import ServerClient
from jobs.dataset.fields import Field, FieldType, Inputs
from jobs.dataset.parsing.source_code import fenced_code
from jobs.dataset.parsing.text import lines
from jobs.dataset.rows import OutputFormat, Row, assistant, messages, system, user
from jobs.dataset.sandbox.run import run_python
from jobs.dataset.template import Template
from jobs.dataset.work import Work

PROMPT = """\
You write complete programs in {language}. Write one for the task that uses the standard library \
alone, reads no input, and ends with assertions that check its own results. Reply with one fenced \
code block and nothing else."""
PYTHON = ("python", "python3", "py")
SHOWN_OUTPUT = 2000  # characters kept with a row


def build(inputs: Inputs, work: Work) -> Iterable[Row]:
    language = inputs.text("language")
    runs = language.casefold() in PYTHON
    if not runs:
        work.log(f"{language} is not run here, so no row of it will be verified")
    task = system(PROMPT.format(language=language))

    async def write(spec: str, client: ServerClient) -> AsyncIterator[Row]:
        answer = await client.ask(task, user(spec), max_tokens=2048)
        code = fenced_code(answer.text, language)
        facts: dict[str, Any] = {"verified": False, "language": language}
        if runs:
            result = await run_python(code)
            facts["verified"] = result.succeeded
            facts["output"] = result.output[-SHOWN_OUTPUT:]
            if result.problem:
                facts["problem"] = result.problem
                work.log(f"a program did not work: {result.problem}")
        fence = f"```{language.casefold()}\n{code}\n```"
        yield messages(user(spec), assistant(fence), metadata=facts)

    return work.ask_each(lines(inputs.text("specs")), write)


TEMPLATE = Template(
    id="verified_code",
    label="Verified code generation",
    description="Has your model write programs, and runs them shut off from network and files. "
    "Every program is kept, and metadata.verified tells which of them ran to their end.",
    output_format=OutputFormat.MESSAGES,
    needs_llm=True,
    fields=(
        Field(
            name="specs",
            label="Tasks",
            type=FieldType.TEXTAREA,
            hint="One a line: what the program has to do.",
            required=True,
        ),
        Field(
            name="language",
            label="Programming language",
            hint="Only Python is run; programs in others are kept unverified.",
            default="python",
        ),
    ),
    build=build,
)
