"""`manage.py memory`: make the vault, see what is in it, search and read it."""

import json
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from memory.api.rows import setup_row, status_row
from memory.article.check import check
from memory.catalog import Catalog
from memory.errors import ArticleNotFound, NoVault, VaultError
from memory.index import rebuild
from memory.search import pages_in, search
from memory.setup.setup import set_up
from memory.vault import Vault

DEFAULT_LIMIT = 10


class Command(BaseCommand):
    help = "Make the memory, see how much there is in it, search and read it."
    requires_system_checks: list[str] = []  # noqa: RUF012  (as BaseCommand declares it)

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", metavar="ACTION")
        for name, told in (
            ("status", "how much there is; what happens without an action"),
            ("init", "make what is missing"),
        ):
            action = actions.add_parser(name, help=told)
            action.add_argument("--json", action="store_true", help="print the API's answer")
        finding = actions.add_parser("search", help="find words in the pages")
        finding.add_argument("words", metavar="WORD", nargs="+")
        finding.add_argument(
            "--scope", choices=("all", "articles", "reference"), default="all", help="where"
        )
        finding.add_argument(
            "--limit", type=int, default=DEFAULT_LIMIT, help=f"how many (default: {DEFAULT_LIMIT})"
        )
        reading = actions.add_parser("read", help="print a page, and what is wrong with it")
        reading.add_argument("name", metavar="NAME")
        actions.add_parser("index", help="make the rows of the admin pages anew from the files")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._act(options)
        except NoVault as error:
            raise CommandError(f"{error}; 'manage.py memory init' makes one") from error
        except ArticleNotFound as error:
            told = f"there is no page {options['name']!r}; 'manage.py memory search' finds them"
            raise CommandError(told) from error
        except (VaultError, DatabaseError) as error:
            raise CommandError(str(error)) from error

    def _act(self, options: dict[str, Any]) -> None:
        catalog: Catalog = settings.CATALOG
        match options["action"]:
            case "init":
                self._init(catalog.vault, as_json=options["json"])
            case "search":
                self._search(catalog, options)
            case "read":
                self._read(catalog, options["name"])
            case "index":
                catalog.snapshot()  # without a vault, no row is dropped
                self.stdout.write(f"Articles in the index: {rebuild(catalog)}")
            case _:
                self._status(catalog.vault, as_json=options.get("json", False))

    def _init(self, vault: Vault, *, as_json: bool) -> None:
        result = set_up(vault)
        if as_json:
            self.stdout.write(json.dumps(setup_row(result), indent=2, ensure_ascii=False))
            return
        for path in result.renewed:
            self.stdout.write(f"{path}: brought up to date")
        if result.already_set_up:
            self.stdout.write(f"{result.root}: nothing was missing.")
        else:
            for path in result.created:
                self.stdout.write(path)
            history = "" if vault.git.is_repository else " Without git, it keeps no history."
            self.stdout.write(f"The memory is in {result.root}.{history}")

    def _status(self, vault: Vault, *, as_json: bool) -> None:
        if not vault.exists:
            raise NoVault
        row = status_row(vault)
        if as_json:
            self.stdout.write(json.dumps(row, indent=2, ensure_ascii=False))
            return
        self.stdout.write(f"Folder     {row['root']}")
        self.stdout.write(f"Articles   {row['articleCount']}")
        self.stdout.write(f"Reference  {row['referenceCount']}")
        self.stdout.write(f"History    {'kept by git' if row['isGitRepo'] else 'none'}")
        for recent in row["recentArticles"]:
            self.stdout.write(f"Latest     {recent['article']}")

    def _search(self, catalog: Catalog, options: dict[str, Any]) -> None:
        pages = pages_in(catalog.snapshot(), options["scope"])
        found = search(pages, " ".join(options["words"]), max(options["limit"], 1))
        for summary in found.summaries:
            self.stdout.write(f"{summary.name}  {', '.join(summary.matched_terms)}")
        for hit in found.hits:
            self.stdout.write(f"{hit.name}:{hit.line}  {hit.excerpt}")
        if not found.summaries:
            self.stdout.write("Nothing holds these words.")

    def _read(self, catalog: Catalog, name: str) -> None:
        entry = catalog.snapshot().get(name)
        self.stdout.write(entry.text, ending="" if entry.text.endswith("\n") else "\n")
        for problem in [] if entry.is_reference else check(entry.article):
            self.stderr.write(f"line {problem.line}: {problem.text}")
