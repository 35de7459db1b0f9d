"""FunctionGemma's calls: Gemma 4's, with markers of its own.

<start_function_call>call:NAME{KEY:<escape>TEXT<escape>,KEY:1}<end_function_call>
"""

from inference.text.tools.gemma4 import object_format

FORMAT = object_format(
    "function_gemma",
    start="<start_function_call>",
    end="<end_function_call>",
    quote="<escape>",
)
