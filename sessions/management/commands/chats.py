"""`manage.py chats`: the chats of the web app, to list, search, read and index again."""

import json
from argparse import ArgumentParser
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from sessions import index
from sessions.errors import SessionError
from sessions.models import ChatSession
from sessions.store.markdown import as_markdown
from sessions.store.tree import Tree


class Command(BaseCommand):
    help = "List the chats of the web app, search them, print one, or index them again."
    requires_system_checks: list[str] = []  # noqa: RUF012  (as BaseCommand declares it)

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", metavar="ACTION")
        actions.add_parser("list", help="newest first; what happens without an action")
        actions.add_parser("search", help="what was said").add_argument("query")
        export = actions.add_parser("export", help="print one")
        export.add_argument("chat", help="its name, as listed")
        export.add_argument("--json", action="store_true", help="every line of its file")
        actions.add_parser("index", help="make the rows of the admin pages anew from the files")

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", verbosity=0)  # the first command may come before the first server
        try:
            match options["action"]:
                case "search":
                    self._search(options["query"])
                case "export":
                    self._export(options["chat"], as_json=options["json"])
                case "index":
                    self._index()
                case _:
                    self._list()
        except SessionError as error:
            raise CommandError(str(error)) from error

    def _list(self) -> None:
        items = index.session_items()
        for item in items:
            moment = datetime.fromtimestamp(item.modified / 1000).strftime("%Y-%m-%d %H:%M")
            self.stdout.write(f"{moment}  {item.message_count:4}  {item.path}  {item.title}")
        if not items:
            self.stdout.write("No chats yet.")

    def _search(self, query: str) -> None:
        for found in settings.SESSION_SEARCH.find(query):
            self.stdout.write(f"{found.name}  {found.title}")
            for match in found.matches:
                self.stdout.write(f"    {match.role}: {' '.join(match.snippet.split())}")

    def _export(self, name: str, *, as_json: bool) -> None:
        entries = settings.SESSION_STORE.open(name).read()
        if as_json:
            self.stdout.write(json.dumps([entry.data for entry in entries], indent=2))
        else:
            self.stdout.write(as_markdown(Tree(entries).branch()))

    def _index(self) -> None:
        ChatSession.objects.all().delete()
        index.refresh()
        self.stdout.write(f"{ChatSession.objects.count()} chats are indexed.")
