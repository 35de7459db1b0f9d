"""Prints the OpenAPI document, of which the web app's types are made."""

import json
from typing import Any

from django.core.management.base import BaseCommand

from mlxsite.openapi import document


class Command(BaseCommand):
    help = "Print the OpenAPI document of this server as JSON."

    def handle(self, *args: Any, **options: Any) -> None:
        text = json.dumps(document(), indent=1, ensure_ascii=False, sort_keys=True)
        self.stdout.write(text)
