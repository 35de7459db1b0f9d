"""What can be wrong with an adapter."""


class BadAdapter(Exception):
    """An adapter that cannot be mounted; the text says why, and names the file or the tensor."""
