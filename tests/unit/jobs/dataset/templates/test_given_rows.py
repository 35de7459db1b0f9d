"""The templates that make rows of what they are given, without a model."""

import pytest

from jobs.dataset.errors import DatasetError


def test_pairs_become_conversations(build):
    built = build("sft_qa_pairs", pairs_text="Q: a\nA: b\n\nstray\n\nQ: c\nA: d\nmore")

    assert built.rows == [
        {"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]},
        {
            "messages": [
                {"role": "user", "content": "c"},
                {"role": "assistant", "content": "d\nmore"},
            ]
        },
    ]
    assert "left out: 1 blocks without both Q: and A:" in built.log


def test_a_table_becomes_pairs_of_answers(build):
    built = build("dpo_pref_pairs", csv_text='prompt;chosen;rejected\n"p;1";c;r\np;;r\nq;c;r\n')

    assert built.rows == [
        {"prompt": "p;1", "chosen": "c", "rejected": "r"},
        {"prompt": "q", "chosen": "c", "rejected": "r"},
    ]
    assert built.summary["skipped"] == {"lines with an empty cell": 1}


def test_a_table_without_the_columns_is_told(build):
    with pytest.raises(DatasetError, match="no column rejected"):
        build("dpo_pref_pairs", csv_text="prompt,chosen\na,b\n")


def test_lines_are_mapped_by_their_keys_and_bad_ones_skipped(build):
    lines = ['{"q": "a", "r": {"x": 1}}', "no json", "[1]", '{"q": "b"}', '{"q": "c", "r": 0}']

    built = build(
        "format_conversion", input_jsonl="\n".join(lines), user_key="q", assistant_key="r"
    )

    contents = [[turn["content"] for turn in row["messages"]] for row in built.rows]
    assert contents == [["a", '{"x": 1}'], ["c", "0"]]
    assert built.summary["skipped"] == {
        "lines that are no JSON object": 2,
        "lines without q or r": 1,
    }
