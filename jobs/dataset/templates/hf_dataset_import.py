"""A text column of a dataset on the Hugging Face Hub."""

from collections.abc import Iterator
from typing import Any

from django.conf import settings

from hub.config import HubConfig
from hub.downloads.errors import InvalidName
from hub.downloads.names import check_repo_id
from hub.token import Tokens
from jobs.dataset.errors import DatasetError, InvalidInput
from jobs.dataset.fields import Field, FieldType, Inputs
from jobs.dataset.hub_files.choice import choose
from jobs.dataset.hub_files.reading import read_rows
from jobs.dataset.hub_files.remote import DatasetRepo
from jobs.dataset.parsing import json_text
from jobs.dataset.rows import OutputFormat, Row, completion, messages, user
from jobs.dataset.template import Template
from jobs.dataset.work import Work

TEXT, USER_ONLY, COMPLETION = "text", "messages_user_only", "prompt_completion"


def build(inputs: Inputs, work: Work) -> Iterator[Row]:
    column, limit = inputs.text("text_column"), inputs.number("max_rows")
    label_column, label = inputs.text("label_column"), inputs.text("label_filter")
    shortest = inputs.number("min_chars")
    found, others = False, ""
    for number, row in enumerate(_rows(inputs, work), start=1):
        # Some datasets leave out what is null, and that may be in the first row.
        found, others = found or column in row, others or ", ".join(map(str, row))[:300]
        text = json_text.dump(row.get(column)).strip()
        if len(text) < max(shortest, 1):
            work.skip(f"rows with fewer than {shortest:,} characters")
        elif label and json_text.dump(row.get(label_column)).strip() != label:
            work.skip(f"rows whose {label_column} is not {label}")
        else:
            yield _shaped(text, inputs.text("output_format"))
        work.tell(number, limit, "rows read")
        if number == limit:
            break
    if others and not found:
        raise DatasetError(
            f"none of the {number:,} rows that were read has a column {column!r}: choose one of "
            f"{others}"
        )


def _rows(inputs: Inputs, work: Work) -> Iterator[dict[str, Any]]:
    """All rows of the split, from one file after the other."""
    hub: HubConfig = settings.HUB
    tokens: Tokens = settings.HF_TOKENS
    token = tokens.find()
    repo = DatasetRepo.find(hub.endpoint, inputs.text("hf_id"), token.value if token else None)
    files = choose(repo.files, repo.configs(), inputs.text("config"), inputs.text("split"))
    for path in files:
        work.log(f"reading {path}")
        with repo.open(path) as file:
            yield from read_rows(path, file, inputs.text("text_column"))


def _shaped(text: str, output_format: str) -> Row:
    if output_format == USER_ONLY:
        return messages(user(text))
    return completion("", text) if output_format == COMPLETION else {"text": text}


def check(inputs: Inputs) -> None:
    name = inputs.text("hf_id")
    try:
        check_repo_id(name if "/" in name else f"owner/{name}")  # old datasets have no owner
    except InvalidName as error:
        raise InvalidInput(f"hf_id: {error}") from error
    if inputs.text("label_filter") and not inputs.text("label_column"):
        raise InvalidInput("label_column required: label_filter is compared with it")


TEMPLATE = Template(
    id="hf_dataset_import",
    label="Hugging Face dataset import",
    description="Takes a text column of a dataset on the Hugging Face Hub, the first rows of a "
    "split, and leaves out what is too short or has another label.",
    output_format=OutputFormat.TEXT,
    fields=(
        Field(
            name="hf_id",
            label="Dataset",
            hint="Its name on the Hub: owner/name.",
            required=True,
        ),
        Field(name="config", label="Config", hint="Leave it open for the default one."),
        Field(
            name="split", label="Split", hint="Such as train, validation or test.", default="train"
        ),
        Field(
            name="text_column",
            label="Column of the text",
            hint="What is no text there is kept as JSON.",
            default="text",
        ),
        Field(name="label_column", label="Column of the label", hint="Needed to choose by label."),
        Field(
            name="label_filter", label="Label", hint="Only rows with exactly this label are kept."
        ),
        Field(
            name="max_rows",
            label="Rows to read",
            type=FieldType.NUMBER,
            hint="From 1 to 1,000,000, counted before any is left out.",
            default=1000,
        ),
        Field(
            name="min_chars",
            label="Characters at least",
            type=FieldType.NUMBER,
            hint="Shorter texts are left out; 0 keeps all but empty ones.",
            default=200,
            minimum=0,
        ),
        Field(
            name="output_format",
            label="Shape of the rows",
            hint="text; messages_user_only, each text as what a user says; or prompt_completion, "
            "each text as the answer to an empty prompt.",
            default=TEXT,
            words=(TEXT, USER_ONLY, COMPLETION),
        ),
    ),
    build=build,
    check=check,
)
