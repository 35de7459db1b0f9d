"""Every template, in the order in which pages show them: those first that need no model."""

from jobs.dataset.errors import UnknownTemplate
from jobs.dataset.fields import shown
from jobs.dataset.template import Template
from jobs.dataset.templates import (
    code_completion,
    cot_synthesis,
    dpo_pref_pairs,
    format_conversion,
    hf_dataset_import,
    multi_turn_chat,
    prompt_reconstruction,
    rag_qa,
    self_instruct,
    sft_qa_pairs,
    style_transfer,
    tool_use_traces,
    verified_code,
)

TEMPLATES: dict[str, Template] = {
    module.TEMPLATE.id: module.TEMPLATE
    for module in (
        sft_qa_pairs,
        dpo_pref_pairs,
        code_completion,
        hf_dataset_import,
        format_conversion,
        style_transfer,
        self_instruct,
        prompt_reconstruction,
        multi_turn_chat,
        tool_use_traces,
        rag_qa,
        cot_synthesis,
        verified_code,
    )
}


def find_template(template_id: object) -> Template:
    """Return a template by its id; raises UnknownTemplate."""
    if isinstance(template_id, str) and template_id in TEMPLATES:
        return TEMPLATES[template_id]
    names = ", ".join(TEMPLATES)
    raise UnknownTemplate(f"unknown template {shown(template_id)}: choose one of {names}")
