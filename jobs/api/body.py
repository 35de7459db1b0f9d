"""Reads request bodies of the jobs' routes: those of the hub's, one JSON object."""

from hub.api.body import read_object, read_text

__all__ = ["read_object", "read_text"]
