"""Muse Spark's XML: an `invoke` for each call, all tags in the namespace `atem`.

<atem:function_calls>
<atem:invoke name="NAME">
<atem:parameter name="KEY" string="true">VALUE</atem:parameter>
</atem:invoke>
</atem:function_calls>
"""

from inference.text.tools.invoke import invoke_format

FORMAT = invoke_format("muse_spark", prefix="atem:", block="atem:function_calls")
