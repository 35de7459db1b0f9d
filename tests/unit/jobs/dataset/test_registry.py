"""The templates as pages and programs know them."""

import pytest

from jobs.dataset.errors import UnknownTemplate
from jobs.dataset.fields import FieldType
from jobs.dataset.registry import TEMPLATES, find_template

# id: label, format, whether it asks a model, and fields with defaults; "*" marks a required one.
KNOWN = {
    "sft_qa_pairs": ("SFT from QA pairs", "messages", False, {"pairs_text": "*"}),
    "dpo_pref_pairs": ("DPO from preference pairs", "dpo", False, {"csv_text": "*"}),
    "code_completion": (
        "Code completion", "prompt_completion", False, {"src_dir": "*", "max_pairs": 500}
    ),
    "hf_dataset_import": (
        "Hugging Face dataset import", "text", False,
        {
            "hf_id": "*", "config": None, "split": "train", "text_column": "text",
            "label_column": None, "label_filter": None, "max_rows": 1000, "min_chars": 200,
            "output_format": "text",
        },
    ),
    "format_conversion": (
        "Format conversion", "messages", False,
        {"input_jsonl": "*", "user_key": "input", "assistant_key": "output"},
    ),
    "style_transfer": (
        "Style transfer", "prompt_completion", True, {"reference_samples": "*", "raw_text": "*"}
    ),
    "self_instruct": (
        "Self-instruct expansion", "messages", True, {"seeds": "*", "variants_per_seed": 5}
    ),
    "prompt_reconstruction": (
        "Prompt reconstruction", "messages", True,
        {"target_text": "*", "style": None, "tone": None, "preserve": None, "avoid": None},
    ),
    "multi_turn_chat": (
        "Multi-turn chat synthesis", "messages", True,
        {"seeds": "*", "turns": 4, "persona": None, "user_persona": None},
    ),
    "tool_use_traces": (
        "Tool-use traces", "messages", True,
        {"tools_json": "*", "scenarios": "*", "mock_results": "*"},
    ),
    "rag_qa": (
        "RAG Q/A from documents", "messages", True,
        {"documents": "*", "questions_per_chunk": 2, "min_chunk_chars": 200},
    ),
    "cot_synthesis": (
        "Reasoning trace synthesis", "messages", True, {"questions": "*", "category": None}
    ),
    "verified_code": (
        "Verified code generation", "messages", True, {"specs": "*", "language": "python"}
    ),
}  # fmt: skip


def test_templates_are_those_that_clients_know():
    found = {
        each.id: (each.label, str(each.output_format), each.needs_llm, fields_of(each))
        for each in TEMPLATES.values()
    }

    assert found == KNOWN


def fields_of(template):
    return {field.name: "*" if field.required else field.default for field in template.fields}


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=list(TEMPLATES))
def test_a_form_says_what_a_person_needs_to_fill_it_in(template):
    shown = template.to_json()

    assert len(shown["description"]) > 40
    for field in shown["fields"]:
        assert set(field) <= {"name", "type", "label", "hint", "required", "default"}
        assert field["hint"]
        assert field["label"] != field["name"]
        is_number = isinstance(field.get("default"), int)
        assert is_number == (field["type"] == FieldType.NUMBER)


@pytest.mark.parametrize("name", ["nope", "", None, 5, ["sft_qa_pairs"], {}])
def test_an_unknown_template_is_named(name):
    with pytest.raises(UnknownTemplate, match=r"^unknown template"):
        find_template(name)
