"""What the pages say of the code is there: files, names, routes, and examples that compile."""

import ast
import re
from pathlib import Path

import pytest
from django.urls import URLResolver, get_resolver

from inference.api.discovery import ENDPOINTS
from inference.options import TABLE

CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CHECKED = ("docs/architecture.md", "docs/glossary.md")
# Words in code font that are not this project's names: Python's, the wire's, and formats.
FOREIGN = {
    "[DONE]",
    "async with",
    "config.json",
    "finally",
    "make screenshots",
    "make serve",
    "make web",
    "npm run dev",
    "manage.py starter_model",
    "owner/name",
    "POST /v1/chat/completions",
    "/",
    "/health",
    "--weights auto",
}


# "`name` in `file.py`", "`name` (`file.py`)" and "`file.py`: `name`".
BEFORE_FILE = re.compile(r"`([A-Za-z_][\w.]*)`(?:\s+in\s+|\s+\()`([\w/]+\.py)`")
AFTER_FILE = re.compile(r"`([\w/]+\.py)`:\s+`([A-Za-z_][\w.]*)`")


class Names(ast.NodeVisitor):
    """Every name that the source defines, and by class the names of its members."""

    def __init__(self) -> None:
        self.defined: set[str] = set()
        self.members: dict[str, set[str]] = {}
        self._class: str | None = None
        self._in_function = False

    def _define(self, name: str) -> None:
        self.defined.add(name)
        if self._class:
            self.members.setdefault(self._class, set()).add(name)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.defined.add(node.name)
        self.members.setdefault(node.name, set())
        outer, self._class = self._class, node.name
        self.generic_visit(node)
        self._class = outer

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        if not self._in_function:
            self._define(node.name)
        outer, self._in_function = self._in_function, True
        self.generic_visit(node)
        self._in_function = outer

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._target(target)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._target(node.target)

    def _target(self, target: ast.expr) -> None:
        if isinstance(target, ast.Name) and not self._in_function:
            self._define(target.id)
        elif isinstance(target, ast.Attribute) and getattr(target.value, "id", "") == "self":
            self._define(target.attr)


def is_own(path: Path) -> bool:
    return path.suffix == ".py" and path.parts[0] != "tests"


@pytest.fixture(scope="module")
def names(root, tracked):
    found = Names()
    for path in filter(is_own, tracked):
        found.visit(ast.parse((root / path).read_text(encoding="utf-8")))
    return found


@pytest.fixture(scope="module")
def places(tracked):
    """Files, folders, file names and dotted modules."""
    known = {str(path) for path in tracked} | {path.name for path in tracked}
    for path in tracked:
        known |= {f"{folder}/" for folder in path.parents}
    for path in filter(is_own, tracked):
        module = path.with_suffix("")
        known |= {".".join(module.parts), module.name, path.parts[0]}
        known |= {".".join(folder.parts) for folder in path.parents}
        known |= {folder.name for folder in path.parents}
    return known


def exists(word, names, places):
    if word in places or word in FOREIGN:
        return True
    if word.startswith("--"):
        return any(word.split()[0] in option.spellings for option in TABLE)
    if word.startswith("MLXSITE_"):
        return any(word == option.environment for option in TABLE)
    if not NAME.fullmatch(word):
        return False
    owner, _, member = word.rpartition(".")
    return member in (names.members.get(owner, ()) if owner else names.defined)


def in_code_font(root, page):
    text = (root / page).read_text(encoding="utf-8")
    return CODE.findall(FENCE.sub("", text))


@pytest.mark.parametrize("page", CHECKED)
def test_every_name_on_a_page_is_in_the_source(page, root, names, places):
    missing = [word for word in in_code_font(root, page) if not exists(word, names, places)]

    assert missing == []


def test_every_name_is_in_the_file_it_is_said_to_be_in(root):
    text = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    pairs = BEFORE_FILE.findall(text) + [(name, file) for file, name in AFTER_FILE.findall(text)]
    wrong = []
    for name, file in pairs:
        found = Names()
        found.visit(ast.parse((root / file).read_text(encoding="utf-8")))
        if not exists(name, found, places=()):
            wrong.append(f"{name} in {file}")

    assert len(pairs) > 20
    assert wrong == []


def test_a_name_that_is_not_in_the_source_would_be_found(names, places):
    assert not exists("inference/engine/no_such_file.py", names, places)
    assert not exists("Scheduler.no_such_method", names, places)
    assert not exists("no_such_function", names, places)


def test_the_tree_in_the_readme_exists(root):
    text = (root / "README.md").read_text(encoding="utf-8")
    tree = text.partition("\n## The tree\n")[2].partition("\n## ")[0]
    entries = re.findall(r"^\| `([^`]+)` \|", tree, re.MULTILINE)

    assert entries
    assert [entry for entry in entries if not (root / entry).exists()] == []


def routes(patterns, prefix="/"):
    """Paths of a urlconf as clients write them, the admin pages as one."""
    for pattern in patterns:
        path = prefix + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(pattern.pattern))
        if isinstance(pattern, URLResolver) and pattern.app_name != "admin":
            yield from routes(pattern.url_patterns, path)
        else:
            yield path


def documented(root):
    """Paths of the table in docs/api.md, with and without their method."""
    text = (root / "docs" / "api.md").read_text(encoding="utf-8")
    words = re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE)
    return {word for word in words if "/" in word} | {word.rpartition(" ")[2] for word in words}


def test_every_route_is_documented(root):
    assert set(routes(get_resolver().url_patterns)) - documented(root) == set()


def test_every_documented_route_exists(root):
    paths = {word for word in documented(root) if word.startswith("/")}

    assert paths - set(routes(get_resolver().url_patterns)) == set()


def test_every_endpoint_that_the_index_lists_is_documented(root):
    assert set(ENDPOINTS) - documented(root) == set()


def test_python_examples_compile(root):
    blocks = FENCE.findall((root / "README.md").read_text(encoding="utf-8"))
    examples = [code for language, code in blocks if language == "python"]

    assert len(examples) >= 2
    for number, code in enumerate(examples):
        compile(code, f"README.md, example {number + 1}", "exec")


def test_decisions_are_numbered_without_gaps(root):
    pages = sorted((root / "docs" / "decisions").glob("*.md"))

    assert [page.name[:5] for page in pages] == [f"{n + 1:04}-" for n in range(len(pages))]
    for page in pages:
        assert page.read_text(encoding="utf-8").startswith(f"# {page.name[:4]} ")
