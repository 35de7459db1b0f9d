"""Tells callers, in a header, what they asked for and will not get."""

from inference.generation import Generation

# Longer than any reason of ours; a header must not grow with what a caller wrote.
_MAX_LENGTH = 500


def warning_headers(generation: Generation) -> dict[str, str]:
    """Return a `Warning` header if a constraint is not, or not wholly, enforced."""
    if not generation.warnings:
        return {}
    reasons = "; ".join(generation.warnings)
    text = f"grammar not enforced: {reasons}".encode("ascii", "replace").decode()
    return {"Warning": " ".join(text.split())[:_MAX_LENGTH]}
