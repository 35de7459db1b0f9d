"""Writes the OpenAPI document, of which the web app's types are made."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from mlxsite.openapi import document


class Command(BaseCommand):
    help = "Write the OpenAPI document of this server as JSON."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--output", type=Path, help="the file to write; else it is printed")

    def handle(self, *args: Any, **options: Any) -> None:
        text = json.dumps(document(), indent=1, ensure_ascii=False, sort_keys=True)
        if options["output"] is None:
            self.stdout.write(text)
        else:
            options["output"].write_text(text + "\n", encoding="utf-8")
