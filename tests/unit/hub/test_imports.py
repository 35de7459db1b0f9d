"""What the web and worker processes may import from `hub` without paying for mlx."""

import subprocess
import sys
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[3]
# The conversion's own process alone needs mlx.
WITH_MLX = {"hub.starter.convert", "hub.starter.gguf"}


def hub_modules() -> list[str]:
    files = sorted((PROJECT_ROOT / "hub").rglob("*.py"))
    names = [".".join(f.relative_to(PROJECT_ROOT).with_suffix("").parts) for f in files]
    return [name.removesuffix(".__init__") for name in names if ".migrations" not in name]


def test_hub_imports_no_mlx_in_a_fresh_interpreter() -> None:
    names = [name for name in hub_modules() if name not in WITH_MLX]
    script = (
        "import os, sys, importlib, django\n"
        "os.environ['DJANGO_SETTINGS_MODULE'] = 'mlxsite.settings'\n"
        "django.setup()\n"
        f"[importlib.import_module(name) for name in {names}]\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('mlx', 'mlx_lm')])"
    )

    done = subprocess.run(
        [sys.executable, "-c", script], cwd=PROJECT_ROOT, capture_output=True, text=True, check=True
    )

    assert "hub.registry" in names
    assert done.stdout.strip() == "[]"
