"""Characters that a text of Python's may have, and that others refuse. Loads no Django."""

import re

HALF = re.compile("[\ud800-\udfff]")
"""Half a character, a surrogate: no UTF-8 has it."""
UNKEPT = re.compile("[\0\ud800-\udfff]")
"""What no database keeps: the zero byte, and halves of characters."""
