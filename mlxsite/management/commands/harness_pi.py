"""`manage.py harness_pi`: let the coding agent pi use the server."""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from inference.option_kinds import Kind
from inference.options import TABLE, OptionError, resolve
from mlxsite.clients import pi
from mlxsite.clients.served import KeyRefused, ask
from mlxsite.server import address


class Command(BaseCommand):
    help = "Let the coding agent pi use the server, or with --remove no longer."
    requires_system_checks: list[str] = []  # noqa: RUF012  (as BaseCommand declares it)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--remove", action="store_true", help="undo what this command does")
        for option in TABLE:
            if option.name in ("host", "port"):
                help = f"{option.help.replace('to listen on', 'of the server')}; as the server's"
                read, metavar = _reader(option.kind), option.kind.metavar
                parser.add_argument(f"--{option.name}", type=read, metavar=metavar, help=help)

    def handle(self, *args: Any, **arguments: Any) -> None:
        path = pi.extension_path(settings.PI_AGENT_DIR)
        try:
            if arguments["remove"]:
                self._remove(path)
            else:
                self._install(path, _base_url(arguments["host"], arguments["port"]))
        except (pi.NotOurs, OptionError) as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{path} cannot be changed: {error}") from error

    def _install(self, path: Path, base_url: str) -> None:
        obstacle = "no server answers there"
        try:
            rows = ask(base_url, settings.API_KEYS[0] if settings.API_KEYS else None)
        except KeyRefused:
            rows, obstacle = [], "it wants a key; set MLXSITE_API_KEYS, here and for pi"
        models = [{name: row[name] for name in pi.FIELDS} for row in rows]
        stored = pi.install(path, base_url, models)
        self.stdout.write(f"Wrote {path}")
        self.stdout.write(f"At every start, pi asks {base_url} what is served.")
        if models:
            self.stdout.write(f"Now it is {models[0]['id']}.")
        else:
            meanwhile = f"takes it to be {stored[0]['id']}" if stored else "knows no model of ours"
            self.stdout.write(f"Now {obstacle}. Until that changes, pi {meanwhile}.")
        self.stdout.write("Start it with: pi --provider mlxsite")

    def _remove(self, path: Path) -> None:
        removed = pi.remove(path)
        self.stdout.write(f"Removed {path}" if removed else f"Nothing to remove: no {path}")


def _base_url(host: str | None, port: int | None) -> str:
    """Return the server's URL with `/v1`; what is None is as the server would have it."""
    own = resolve(
        arguments={}, environment=settings.SERVE_ENVIRONMENT, settings=settings.SERVE_DEFAULTS
    )
    return f"{address.base_url(host or own.host, port or own.port)}/v1"


def _reader(kind: Kind) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        try:
            return kind.read(text)
        except ValueError:
            raise ArgumentTypeError(f"{text!r} is not {kind.allowed}") from None

    return read
