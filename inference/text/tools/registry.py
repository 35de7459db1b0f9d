"""Which format a model's calls have, told by its chat template."""

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
from inference.text.tools.base import ToolFormat

# What only the templates of a format hold; the first that is found decides.
_IN_TEMPLATE = (
    ("<minimax:tool_call>", minimax.FORMAT),
    ("<atem:function_calls>", muse_spark.FORMAT),
    ("DSML", deepseek.FORMAT),
    ("<|channel|>analysis", harmony.FORMAT),
    ("<|tool_call>", gemma4.FORMAT),
    ("<start_function_call>", function_gemma.FORMAT),
    ("<longcat_tool_call>", longcat.FORMAT),
    ("<arg_key>", glm.FORMAT),
    ("<|tool_call_start|>", pythonic.FORMAT),
    ("<|tool_list_start|>", pythonic.FORMAT),
    ("<|tool_calls_section_begin|>", kimi_k2.FORMAT),
    ("<|open|>", kimi_k3.FORMAT),
    ('<function name="', minicpm5.FORMAT),
    ("<function=", qwen_xml.FORMAT),
    ("[TOOL_CALLS]", mistral.FORMAT),
    ("<tool_call>", json_tags.FORMAT),
    ('"parameters": dictionary of argument name', llama.FORMAT),
)

# Models whose templates offer tools and leave the form of a call to their training.
_BY_MODEL_TYPE = {
    "gpt_oss": harmony.FORMAT,
    "kimi_k3": kimi_k3.FORMAT,
    "lfm2": pythonic.FORMAT,
    "lfm2_moe": pythonic.FORMAT,
}


def choose_format(chat_template: str, model_type: str) -> ToolFormat | None:
    """Return the format of a model's calls; None if its template knows no tools.

    model_type: as in the model's `config.json`. A template that offers tools in a form
    unknown here gets JSON in tags, which also takes JSON without them.
    """
    if "tools" not in chat_template:
        return None
    for mark, tool_format in _IN_TEMPLATE:
        if mark in chat_template:
            return tool_format
    return _BY_MODEL_TYPE.get(model_type, json_tags.FORMAT)
