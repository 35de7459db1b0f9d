"""Definitions of a folder of Python, each cut somewhere in the middle."""

import random
from collections.abc import Iterator

from jobs.dataset.errors import InvalidInput
from jobs.dataset.fields import Field, FieldType, Inputs
from jobs.dataset.parsing.source_code import definitions
from jobs.dataset.rows import OutputFormat, Row, completion
from jobs.dataset.source_folder import open_folder, python_files, read_source
from jobs.dataset.template import Template
from jobs.dataset.work import Work
from jobs.errors import JobError

SHORTEST = 30  # characters of a definition
SEED = 0


def build(inputs: Inputs, work: Work) -> Iterator[Row]:
    folder, limit = open_folder(inputs.text("src_dir")), inputs.number("max_pairs")
    draw = random.Random(SEED)
    num_pairs = 0
    for path in python_files(folder, work.skip):
        source = read_source(path, work.skip)
        for piece in definitions(source):
            if len(piece.strip()) < SHORTEST:
                continue
            if num_pairs == limit:
                work.log(f"stopped at {limit:,} pairs, as asked")
                return
            yield completion(*_cut(piece, draw))
            num_pairs += 1
            work.tell(num_pairs, limit, "pairs")


def _cut(piece: str, draw: random.Random) -> tuple[str, str]:
    """Cut between a quarter and three quarters of the length, both included."""
    length = len(piece)
    place = draw.randint(-(-length // 4), length * 3 // 4)
    return piece[:place], piece[place:]


def check(inputs: Inputs) -> None:
    try:
        open_folder(inputs.text("src_dir"))
    except JobError as error:
        raise InvalidInput(f"src_dir: {error}") from error


TEMPLATE = Template(
    id="code_completion",
    label="Code completion",
    description="Cuts the functions and classes of your own Python code in two: the model learns "
    "to write the second part in your style.",
    output_format=OutputFormat.PROMPT_COMPLETION,
    fields=(
        Field(
            name="src_dir",
            label="Folder of Python files",
            hint="A whole path on the computer that runs this server. Its folders are searched as "
            "well; links and hidden folders are passed over.",
            required=True,
        ),
        Field(
            name="max_pairs",
            label="Pairs at most",
            type=FieldType.NUMBER,
            hint="From 1 to 1,000,000; files are taken by name.",
            default=500,
        ),
    ),
    build=build,
    check=check,
)
