"""The agents: how each is set up, by the settings that docs/clients.md tells people, and called."""

import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from tests.agents.play import CONTEXT
from tests.plugins import clients_page

ROOT = Path(__file__).resolve().parents[2]


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


def settings(section, language, url):
    [code] = clients_page.blocks(section, language, url, CONTEXT)
    return code


def claude(home, url):
    lines = shlex.split(settings("Claude Code", "sh", url), comments=True)
    exports = dict(word.split("=", 1) for word in lines if "=" in word)
    command = ["claude", "-p", "--output-format", "json", "--permission-mode", "acceptEdits"]
    return Agent(command, ["--continue"], exports)


def codex(home, url, *more):
    config = home / ".codex"
    config.mkdir()
    (config / "config.toml").write_text("\n".join([*more, settings("Codex", "toml", url)]))
    command = ["codex", "exec", "--skip-git-repo-check", "--sandbox", "workspace-write"]
    return Agent(command, ["resume", "--last"], {"MLXSITE_API_KEYS": "none"})


def codex_with_catalog(home, url):
    agent = codex(home, url, f'model_catalog_json = "{home}/.codex/catalog.json"')
    (home / ".codex" / "catalog.json").write_text(settings("Codex", "json", url))
    return agent


def pi(home, url):
    parts = urlsplit(url)
    server = ["--host", parts.hostname, "--port", str(parts.port)]
    command = [sys.executable, "manage.py", "harness_pi", *server]
    env = {"HOME": str(home)}
    subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True)
    return Agent(["pi", "-p", "--provider", "mlxsite"], ["--continue"], {"PI_OFFLINE": "1"})


def continue_(home, url):
    (home / "config.yaml").write_text(settings("Continue", "yaml", url))
    command = ["cn", "-p", "--auto", "--config", str(home / "config.yaml")]
    return Agent(command, ["--resume"])


AGENTS = {
    "claude": claude,
    "codex": codex,
    "codex-catalog": codex_with_catalog,
    "pi": pi,
    "continue": continue_,
}
