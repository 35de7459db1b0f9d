"""DeepSeek V3.2's XML: an `invoke` for each call, every tag marked as no ordinary text.

    <*function_calls>
    <*invoke name="NAME">
    <*parameter name="KEY" string="true">VALUE</*parameter>
    </*invoke>
    </*function_calls>

An asterisk stands for `DSML` between fullwidth vertical lines.
"""

from inference.text.tools.invoke import invoke_format

_MARK = "\N{FULLWIDTH VERTICAL LINE}DSML\N{FULLWIDTH VERTICAL LINE}"

FORMAT = invoke_format("deepseek", prefix=_MARK, block=f"{_MARK}function_calls")
