"""`manage.py dataset`: list the templates, and build a dataset by one of them."""

import json
import signal
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from jobs.dataset.fields import Field, FieldType
from jobs.dataset.registry import TEMPLATES
from jobs.dataset.run import run
from jobs.dataset.template import Template
from jobs.dataset.terminal import Terminal
from jobs.emitter import Emitter
from jobs.errors import JobError
from jobs.folders import folder_of


class Command(BaseCommand):
    help = "Build a dataset to fine-tune with, by one of the templates."
    requires_system_checks: list[str] = []  # noqa: RUF012  (as BaseCommand declares it)

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", metavar="ACTION")
        listing = actions.add_parser("list", help="the templates; what happens without an action")
        listing.add_argument("--json", action="store_true", help="print what the pages read")
        building = actions.add_parser("build", help="build a dataset here and now")
        templates = building.add_subparsers(dest="template", metavar="TEMPLATE", required=True)
        for template in TEMPLATES.values():
            add_template(
                templates.add_parser(
                    template.id, help=template.description, description=template.description
                ),
                template,
            )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["action"] == "build":
            self._build(TEMPLATES[options["template"]], options)
        elif options.get("json"):
            shown = [template.to_json() for template in TEMPLATES.values()]
            self.stdout.write(json.dumps(shown, indent=2))
        else:
            for line in overview():
                self.stdout.write(line)

    def _build(self, template: Template, options: dict[str, Any]) -> None:
        given = {field.name: options[field.name] for field in template.fields}
        inputs = _read_inputs(options["inputs"]) if options["inputs"] else {}
        inputs |= {name: _read_value(value) for name, value in given.items() if value is not None}
        request: dict[str, Any] = {"template_id": template.id, "inputs": inputs}
        request["model_name"] = options.get("model")
        if options["output"]:
            request["output_dir"] = str(folder_of(options["output"]))
        for number in (signal.SIGTERM, signal.SIGINT):  # a shell's background ignores the latter
            signal.signal(number, signal.default_int_handler)
        try:
            with Terminal() as terminal:
                outcome = run(request, Emitter(terminal))
        except JobError as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError("stopped; nothing was left behind") from None
        counts = outcome.summary
        self.stdout.write(
            f"{counts['n_train']:,} rows to train on and {counts['n_valid']:,} to validate on are "
            f"in {outcome.output_dir}"
        )


def add_template(parser: ArgumentParser, template: Template) -> None:
    """Give a parser the fields of a template as flags."""
    for field in template.fields:
        parser.add_argument(
            f"--{field.name.replace('_', '-')}",
            dest=field.name,
            metavar="NUMBER" if field.type is FieldType.NUMBER else "TEXT",
            type=int if field.type is FieldType.NUMBER else str,
            help=_help(field),
        )
    parser.add_argument(
        "--inputs", metavar="FILE", help="a JSON object with fields by name; flags come before it"
    )
    parser.add_argument("--output", metavar="FOLDER", help="default: a new one in the cache")
    if template.needs_llm:
        parser.add_argument("--model", metavar="NAME", help="default: whatever the server serves")


def overview() -> list[str]:
    """The templates in columns, for people."""
    width = max(map(len, TEMPLATES))
    lines = [f"{each.id.ljust(width)}  {_traits(each)}" for each in TEMPLATES.values()]
    return [*lines, "", "'manage.py dataset build TEMPLATE --help' tells what a template takes."]


def _traits(template: Template) -> str:
    asks = ", asks the server's model" if template.needs_llm else ""
    return f"{template.label} ({template.output_format}{asks})"


def _help(field: Field) -> str:
    parts = [field.hint or field.label]
    if field.required:
        parts.append("Required.")
    elif field.default is not None:
        parts.append(f"Default: {field.default}.")
    if field.type is FieldType.TEXTAREA:
        parts.append("@FILE reads it from a file.")
    return " ".join(parts).replace("%", "%%")


def _read_value(value: Any) -> Any:
    if not isinstance(value, str) or not value.startswith("@"):
        return value
    return _read_file(Path(value[1:]))


def _read_inputs(name: str) -> dict[str, Any]:
    try:
        value = json.loads(_read_file(Path(name)))
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{name} is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise CommandError(f"{name} holds no JSON object; write the fields by name")
    return value


def _read_file(path: Path) -> str:
    try:
        return path.expanduser().read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} cannot be read as text: {error}") from error
