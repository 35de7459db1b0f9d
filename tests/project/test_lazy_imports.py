"""Starting Django loads no MLX: commands stay quick, and `manage.py help` works anywhere."""

import os
import subprocess
import sys

import pytest

REPORT = "import sys; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
SETUP = "import django; django.setup()"
HEAVY = {"mlx", "mlx_lm", "transformers", "torch", "numpy", "tokenizers"}


def loaded(root, code):
    """Top-level modules of a fresh interpreter that ran `code`."""
    result = subprocess.run(
        [sys.executable, "-c", f"{code}; {REPORT}"],
        cwd=root,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "mlxsite.settings"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return set(result.stdout.split())


@pytest.mark.parametrize(
    "code",
    [
        SETUP,
        SETUP + "; import mlxsite.urls",
        SETUP + "; import mlxsite.asgi",
        SETUP + "; import inference.runtime",
        SETUP + "; import mlxsite.management.commands.runserver_mlx",
        SETUP + "; from django.core.management import call_command; call_command('check')",
    ],
    ids=["setup", "urls", "asgi", "runtime", "runserver_mlx", "check"],
)
def test_nothing_heavy_is_loaded_by(code, root):
    assert loaded(root, code) & HEAVY == set()


def test_the_options_need_the_standard_library_alone(root):
    modules = loaded(root, "import inference.options")

    assert modules & {"django", "ninja", "pydantic", "channels"} == set()
