"""The agents: how each is set up, by the settings that docs/clients.md tells people, and called."""

import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from tests.agents.play import CONTEXT

ROOT = Path(__file__).resolve().parents[2]
# What the page says for any server and model, where the one of the tests has its own.
DOCUMENTED_SERVER = "http://127.0.0.1:8080"
DOCUMENTED_CONTEXT = "32768"


@dataclass
class Agent:
    """An installed agent, ready to be called.

    command: without the task. resume: what makes it go on with its newest session.
    env: its settings.
    """

    command: list[str]
    resume: list[str]
    env: dict[str, str] = field(default_factory=dict)

    def call(self, task, *, resumed):
        return [*self.command, *(self.resume if resumed else []), task]


def block(section, language, url):
    """Return the settings in a section of the page, for our server, which is at `url`."""
    page = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")
    text = re.split(rf"^#+ {re.escape(section)}$", page, flags=re.MULTILINE)[1]
    code = text.partition(f"```{language}\n")[2].partition("\n```")[0]
    assert code, f"docs/clients.md has no {language} under {section}"
    return code.replace(DOCUMENTED_SERVER, url).replace(DOCUMENTED_CONTEXT, str(CONTEXT))


def claude(home, url):
    lines = shlex.split(block("Claude Code", "sh", url), comments=True)
    exports = dict(word.split("=", 1) for word in lines if "=" in word)
    command = ["claude", "-p", "--output-format", "json", "--permission-mode", "acceptEdits"]
    return Agent(command, ["--continue"], exports)


def codex(home, url, *more):
    config = home / ".codex"
    config.mkdir()
    (config / "config.toml").write_text("\n".join([*more, block("Codex", "toml", url)]))
    command = ["codex", "exec", "--skip-git-repo-check", "--sandbox", "workspace-write"]
    return Agent(command, ["resume", "--last"], {"MLXSITE_API_KEYS": "none"})


def codex_with_catalog(home, url):
    agent = codex(home, url, f'model_catalog_json = "{home}/.codex/catalog.json"')
    (home / ".codex" / "catalog.json").write_text(block("Codex", "json", url))
    return agent


def pi(home, url):
    parts = urlsplit(url)
    server = ["--host", parts.hostname, "--port", str(parts.port)]
    command = [sys.executable, "manage.py", "harness_pi", *server]
    env = {"HOME": str(home)}
    subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True)
    return Agent(["pi", "-p", "--provider", "mlxsite"], ["--continue"], {"PI_OFFLINE": "1"})


AGENTS = {"claude": claude, "codex": codex, "codex-catalog": codex_with_catalog, "pi": pi}
