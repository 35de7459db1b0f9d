"""LongCat's pairs of keys and values: GLM's format, with tags of its own.

<longcat_tool_call>NAME
<longcat_arg_key>KEY</longcat_arg_key>
<longcat_arg_value>VALUE</longcat_arg_value>
</longcat_tool_call>
"""

from inference.text.tools.glm import pair_format

FORMAT = pair_format("longcat", prefix="longcat_")
