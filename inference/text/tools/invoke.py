"""The XML that several families share but for its names: `invoke` with `parameter` inside.

A value stands between its tags without any framing. An attribute may say that it is text.
"""

from inference.text.tools.base import Opening, Steps, ToolFormat
from inference.text.tools.schema import ToolSchemas
from inference.text.tools.source import Source
from inference.text.tools.tags import Tag, TagGrammar, read_block


def invoke_format(name: str, *, prefix: str, block: str) -> ToolFormat:
    """Return a format whose tags begin with `prefix`, in a block of the tag `block`."""
    grammar = TagGrammar(
        call=Tag(f"<{prefix}invoke", attribute="name"),
        call_end=f"</{prefix}invoke>",
        argument=Tag(f"<{prefix}parameter", attribute="name"),
        argument_end=f"</{prefix}parameter>",
        block_start=f"<{block}>",
        block_end=f"</{block}>",
    )

    def read(source: Source, tools: ToolSchemas) -> Steps:
        yield from source.skip(grammar.block_start)
        yield from read_block(grammar, source, tools)

    return ToolFormat(
        name=name,
        openings=(Opening(grammar.block_start, read),),
        markers=(
            grammar.block_end,
            f"{grammar.call.start} name=",
            grammar.call_end,
            f"{grammar.argument.start} name=",
            grammar.argument_end,
        ),
    )
