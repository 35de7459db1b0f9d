"""MiniMax M2's XML.

<minimax:tool_call>
<invoke name="NAME">
<parameter name="KEY">VALUE</parameter>
</invoke>
</minimax:tool_call>
"""

from inference.text.tools.invoke import invoke_format

FORMAT = invoke_format("minimax", prefix="", block="minimax:tool_call")
