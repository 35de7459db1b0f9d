"""The template decides on the format."""

import pytest

from inference.text.tools import (
    deepseek,
    function_gemma,
    gemma4,
    glm,
    harmony,
    json_tags,
    kimi_k2,
    kimi_k3,
    llama,
    longcat,
    minicpm5,
    minimax,
    mistral,
    muse_spark,
    pythonic,
    qwen_xml,
)
from inference.text.tools.registry import choose_format

# The telling part of a template, as models of the format have it.
EXCERPTS = [
    ('{{ "<tool_call>\\n" }}{"name": <function-name>, "arguments": <args>}', json_tags),
    ('{{ "<tool_call>\\n<function=" ~ tool_call.name ~ ">\\n" }}', qwen_xml),
    ("<tool_call>{{ name }}<arg_key>{{ k }}</arg_key><arg_value>{{ v }}</arg_value>", glm),
    ("<longcat_tool_call>{{ name }}<longcat_arg_key>", longcat),
    ('<function name="fn"><param name="p">value</param></function>', minicpm5),
    ("<minimax:tool_call><invoke name=", minimax),
    ('<atem:function_calls>\n<atem:invoke name="', muse_spark),
    ("{%- set mark = '\N{FULLWIDTH VERTICAL LINE}DSML\N{FULLWIDTH VERTICAL LINE}' %}", deepseek),
    ('{{ "<|start|>assistant<|channel|>analysis<|message|>" + message.thinking }}', harmony),
    ("<|tool_call>call:{{ name }}{{ '{' }}", gemma4),
    ("<start_function_call>call:", function_gemma),
    ("<|tool_list_start|>{{ tool_list }}<|tool_list_end|>", pythonic),
    ("<|tool_call_start|>[", pythonic),
    ("<|tool_calls_section_begin|>", kimi_k2),
    ('<|open|>call tool="', kimi_k3),
    ("[TOOL_CALLS] [", mistral),
    ('{"name": function name, "parameters": dictionary of argument name and its value}', llama),
]


@pytest.mark.parametrize(("excerpt", "module"), EXCERPTS)
def test_a_template_names_its_format(excerpt, module):
    template = "{%- if tools %}" + excerpt + "{%- endif %}"

    assert choose_format(template, "some_model") is module.FORMAT


def test_a_template_without_tools_has_none():
    assert choose_format("{% for message in messages %}<tool_call>{% endfor %}", "qwen3") is None
    assert choose_format("", "lfm2") is None


def test_the_kind_of_model_decides_where_the_template_is_silent():
    assert choose_format("{{ tools | tojson }}", "lfm2_moe") is pythonic.FORMAT


def test_an_unknown_form_is_read_as_json():
    assert choose_format("{{ tools | tojson }}", "some_model") is json_tags.FORMAT
