"""The project's settings, with state and caches in folders that live as long as the tests.

Loaded before any conftest: pytest-django reads the settings first of all.
"""

import atexit
import os
import shutil
import tempfile

_folder = tempfile.mkdtemp(prefix="mlxsite-tests-")
_owner = os.getpid()
atexit.register(lambda: os.getpid() == _owner and shutil.rmtree(_folder, ignore_errors=True))

# What the developer's shell says must not decide a test.
_OWN = ("MLXSITE_REQUIRE_ALL", "MLXSITE_TEST_CACHE", "MLXSITE_TEST_DATABASE_URL")
for _name in [name for name in os.environ if name.startswith("MLXSITE_")]:
    if _name not in _OWN:
        del os.environ[_name]
if "MLXSITE_TEST_DATABASE_URL" in os.environ:
    os.environ["MLXSITE_DATABASE_URL"] = os.environ["MLXSITE_TEST_DATABASE_URL"]
os.environ["MLXSITE_STATE_DIR"] = f"{_folder}/state"
os.environ["MLXSITE_CACHE_DIR"] = f"{_folder}/cache"
os.environ["HF_HUB_CACHE"] = f"{_folder}/hf"
# Processes that tests start take the real settings, with these variables or with their own.
os.environ["DJANGO_SETTINGS_MODULE"] = "mlxsite.settings"
# On the CPU, compiling a kernel takes g++ seconds: more than most tests.
os.environ["MLX_DISABLE_COMPILE"] = "1"

from mlxsite.settings import *  # noqa: E402, F403

LOGGING_CONFIG = None  # pytest captures records itself; our handler would keep a closed stream
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # made to be quick
if "MLXSITE_DATABASE_URL" not in os.environ:
    # A file, as outside of tests: in memory, threads that read and write meet "table is locked".
    DATABASES["default"]["TEST"] = {"NAME": f"{_folder}/test.sqlite3"}  # noqa: F405
