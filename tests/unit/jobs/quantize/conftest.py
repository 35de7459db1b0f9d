"""Model folders as the hub's tests write them, for the quantizer to find."""

from tests.unit.hub.conftest import config, write_cached_model, write_model

__all__ = ["config", "write_cached_model", "write_model"]
