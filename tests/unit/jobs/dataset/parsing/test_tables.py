"""CSV in many dialects."""

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.dataset.errors import DatasetError
from jobs.dataset.parsing.tables import DELIMITERS, read_table

COLUMNS = ("prompt", "chosen", "rejected")
ROW = {"prompt": "p", "chosen": "c", "rejected": "r"}
CELLS = st.text(st.characters(exclude_characters="\0\r\n", exclude_categories=["Cs"]), min_size=1)


def read(text, needed=COLUMNS):
    return list(read_table(io.StringIO(text, newline=""), needed))


@pytest.mark.parametrize(
    "text",
    [
        "prompt,chosen,rejected\np,c,r\n",
        "prompt;chosen;rejected\r\np;c;r\r\n",
        "prompt\tchosen\trejected\np\tc\tr",
        "prompt|chosen|rejected\np|c|r",
        '"prompt","chosen","rejected"\n"p","c","r"\n',
        "\ufeffprompt,chosen,rejected\np,c,r",
        "Prompt, Chosen, Rejected\np, c, r\n",
        "\n\nrejected,chosen,prompt\nr,c,p\n\n",
    ],
)
def test_every_dialect_gives_the_same_rows(text):
    assert read(text) == [ROW]


def test_cells_may_have_commas_quotes_and_line_breaks():
    text = 'prompt,chosen,rejected\n"a, b","say ""hi""","two\nlines"\n'

    assert read(text) == [{"prompt": "a, b", "chosen": 'say "hi"', "rejected": "two\nlines"}]


def test_further_columns_are_kept_and_short_rows_lack_cells():
    assert read("id,prompt,chosen,rejected\n7,p,c,r\n8,q\n") == [
        {"id": "7", **ROW},
        {"id": "8", "prompt": "q"},
    ]


@pytest.mark.parametrize("text", ["", "\n\n", "a,b\n1,2", "prompt,chosen\np,c", "just words"])
def test_a_table_without_its_columns_says_which_are_missing(text):
    with pytest.raises(DatasetError, match=r"no column .*rejected.*must name prompt,chosen"):
        read(text)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.sampled_from(DELIMITERS), st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1))
def test_what_a_csv_writer_writes_is_read_back(delimiter, rows):
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerows([COLUMNS, *rows])

    found = read(text.getvalue())

    kept = [row for row in rows if any(cell.strip() for cell in row)]
    assert found == [dict(zip(COLUMNS, row, strict=True)) for row in kept]
