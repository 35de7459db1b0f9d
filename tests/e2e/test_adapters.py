"""Adapters on a real server: mounted at the start and while it runs, chosen by many at once."""

import asyncio
import subprocess
import sys

import httpx
import pytest

from inference.adapters.target import LayerKind
from tests.plugins.adapters import write_adapter

CHOICES = ("a", "none", "b", "a+b", None)

pytestmark = pytest.mark.slow


@pytest.fixture
def folders(tmp_path, tiny_model):
    from inference.engine.adapters.targets import find_targets

    found = find_targets(tiny_model("llama").model)
    linear = {path: target for path, target in found.items() if target.kind is LayerKind.LINEAR}
    return {name: write_adapter(tmp_path / name, linear, seed=ord(name)) for name in "ab"}


async def test_many_at_once_are_each_answered_by_their_own_adapters(
    start_process, tiny_checkpoint, folders
):
    """Public case cb-03, its last part, over the socket."""
    model = str(tiny_checkpoint("llama"))
    server = start_process("--model", model, "--adapter-path", str(folders["a"]))
    assert "a: rank 4 on 15 layers" in server.log

    async with httpx.AsyncClient(base_url=server.url, timeout=60) as client:
        mount = {"id": "b", "path": str(folders["b"])}
        assert (await client.post("/v1/adapters", json=mount)).status_code == 200

        async def ask(adapter, text="Once upon a time"):
            body = {"prompt": text, "temperature": 0, "max_tokens": 16}
            chosen = {} if adapter is None else {"adapter": adapter}
            answer = await client.post("/v1/completions", json=body | chosen)
            return answer.json()["choices"][0]["text"]

        alone = {choice: await ask(choice) for choice in CHOICES}
        at_once = await asyncio.gather(*(ask(choice) for choice in CHOICES * 6))
        assert (await client.delete("/v1/adapters/b")).json() == {"id": "b", "removed_layers": 15}

    assert at_once == [alone[choice] for choice in CHOICES * 6]
    assert alone[None] == alone["a"]
    assert len(set(alone.values())) == 4


def test_a_bad_adapter_stops_the_start_and_says_why(request, tiny_checkpoint, tmp_path):
    model = str(tiny_checkpoint("llama"))
    (tmp_path / "bad").mkdir()
    command = [sys.executable, "manage.py", "runserver_mlx", "--model", model, "--port", "1"]

    ended = subprocess.run(
        [*command, "--adapter", str(tmp_path / "bad")],
        cwd=request.config.rootpath,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert ended.returncode == 1
    assert "bad cannot be mounted: it has neither adapters.safetensors" in ended.stderr
    assert "Traceback" not in ended.stderr
