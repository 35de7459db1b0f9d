"""Sizes as people read them."""


def in_gb(size: int) -> str:
    """A number of bytes in gigabytes, as `4.2 GB`."""
    return f"{size / 1e9:.1f} GB"
