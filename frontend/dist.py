"""The built web app: committed beside its sources, so that serving it takes no Node."""

from pathlib import Path

DIST = Path(__file__).parent / "dist"
SOURCES = Path(__file__).parent / "app"
