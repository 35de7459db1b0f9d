"""Every page of documentation starts with its title and says at once what it is for."""

import re


def test_pages_begin_with_a_title_and_a_summary(root, tracked):
    pages = [path for path in tracked if path.suffix == ".md"]
    wrong = []
    for path in pages:
        blocks = re.split(r"\n\s*\n", (root / path).read_text(encoding="utf-8").strip())
        if not blocks[0].startswith("# ") or len(blocks) < 2 or not blocks[1][0].isalnum():
            wrong.append(str(path))

    assert wrong == []


LINK = re.compile(r"\[[^\]]*\]\((?!https?:|#|mailto:)([^)#\s]+)")


def test_links_between_pages_lead_somewhere(root, tracked):
    broken = [
        f"{path}: {target}"
        for path in tracked
        if path.suffix == ".md"
        for target in LINK.findall((root / path).read_text(encoding="utf-8"))
        if not (root / path.parent / target).exists()
    ]

    assert broken == []


def test_every_python_file_says_what_it_is_for(root, tracked):
    silent = [
        str(path)
        for path in tracked
        if path.suffix == ".py"
        and path.parts[0] != "tests"
        and "migrations" not in path.parts
        and (text := (root / path).read_text(encoding="utf-8").strip())
        and not text.removeprefix("#!/usr/bin/env python").lstrip().startswith('"""')
    ]

    assert silent == []
