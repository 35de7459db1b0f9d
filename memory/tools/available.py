"""The tools that a model is given: all of them, or none as long as there is no vault."""

from django.conf import settings

from memory.catalog import Catalog
from memory.tools import looking_up, manual, reading
from memory.tools.base import Tool, bounded

_TOOLS = (
    looking_up.resolve_tool,
    reading.read_tool,
    reading.section_tool,
    reading.infobox_tool,
    reading.links_tool,
    looking_up.category_tool,
    looking_up.list_tool,
    looking_up.search_tool,
    manual.status_tool,
    manual.reference_search_tool,
    manual.reference_read_tool,
    manual.reference_list_tool,
)


def available(catalog: Catalog | None = None) -> list[Tool]:
    """Return the tools of a vault, in the order in which they should be thought of. May block."""
    catalog = catalog or settings.CATALOG
    return [bounded(make(catalog)) for make in _TOOLS] if catalog.vault.exists else []
