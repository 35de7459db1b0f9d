"""The rows of articles follow the files, and can be dropped."""

import shutil

import pytest

from memory import index
from memory.models import Category, Entity, EntityAlias, InfoboxFact, Link

pytestmark = pytest.mark.django_db

ADA = """\
# Ada Lovelace

*Part of a series on [[Computing]].*

```info
kind: person
type: Mathematician
aliases: Ada, ada, the Countess
works with: [[charles babbage]]
```

She wrote the first program for [[Engine]].

categories: [[Category:People]], [[Category:Computing]]

## See also

- [[Engine#parts]]
"""


def rows():
    return (
        list(Entity.objects.values_list("stem", "kind", "type", "series", "words")),
        list(EntityAlias.objects.order_by("folded").values_list("entity", "name", "folded")),
        list(InfoboxFact.objects.values_list("key", "value", "kind")),
        list(Category.objects.values_list("name", "articles__entity")),
        list(Link.objects.values_list("source", "target", "anchor", "via")),
    )


def test_rows_say_what_the_articles_say(put):
    put("Ada_Lovelace", ADA)
    put("Charles_Babbage", "# Charles Babbage\n\nSee [[Ada_Lovelace]].\n")

    assert index.refresh() == 2

    entities, aliases, facts, categories, links = rows()
    assert entities[0][:4] == ("Ada_Lovelace", "person", "Mathematician", "Computing")
    assert aliases == [
        ("Ada_Lovelace", "Ada", "ada"),
        ("Ada_Lovelace", "Ada Lovelace", "ada lovelace"),
        ("Charles_Babbage", "Charles Babbage", "charles babbage"),
        ("Ada_Lovelace", "the Countess", "the countess"),
    ]
    assert facts == [
        ("aliases", "Ada, ada, the Countess", "list"),
        ("works with", "[[charles babbage]]", "entity-link"),
    ]
    assert categories == [("Computing", "Ada_Lovelace"), ("People", "Ada_Lovelace")]
    assert links == [
        ("Ada_Lovelace", "Computing", "", "series"),
        ("Ada_Lovelace", "Charles_Babbage", "", "infobox"),
        ("Ada_Lovelace", "Engine", "", "prose"),
        ("Ada_Lovelace", "Engine", "parts", "seealso"),
        ("Charles_Babbage", "Ada_Lovelace", "", "prose"),
    ]


def test_only_what_has_changed_is_read_again(put, many):
    many(10)
    assert index.refresh() == 10

    put("Article_003", "# Article 003\n\nOther words altogether.\n")

    assert index.refresh() == 1
    assert index.refresh() == 0
    assert Entity.objects.get(pk="Article_003").lead == "Other words altogether."


def test_an_article_that_has_gone_leaves_no_rows(vault, put):
    put("Ada_Lovelace", ADA)
    index.refresh()

    (vault.root / "articles" / "Ada_Lovelace.md").unlink()
    index.refresh()

    assert rows() == ([], [], [], [], [])


def test_a_link_means_an_article_as_soon_as_there_is_one(put):
    put("A", "# A\n\nSee [[the engine]].\n")
    index.refresh()
    assert Link.objects.get().target == "the_engine"

    put("The_Engine", "# The Engine\n\nParts.\n")
    index.refresh()

    assert Link.objects.get().target == "The_Engine"


def test_rows_that_were_dropped_come_back_from_the_files(put, many):
    many(30)
    put("Ada_Lovelace", ADA)
    index.refresh()
    before = rows()

    assert index.rebuild() == 31

    after = rows()
    assert after[:4] == before[:4]
    assert sorted(after[4]) == sorted(before[4])


def test_without_a_vault_there_are_no_rows(vault, put):
    put("A", "a")
    index.refresh()

    shutil.rmtree(vault.root)

    assert index.refresh() == 0
    assert not Entity.objects.exists()


def test_broken_articles_are_rows_as_well(put):
    put("Latin", b"# caf\xe9 \0\n\n```info\nkind: planet\n")
    put("Empty", "")
    put("L" * 250, "# " + "x" * 1000)

    assert index.refresh() == 3
    assert Entity.objects.get(pk="Latin").problems >= 3
    assert Entity.objects.get(pk="Empty").words == 0


def test_the_admin_pages_show_what_the_files_say_now(admin_client, put):
    put("Ada_Lovelace", ADA)

    listed = admin_client.get("/django-admin/memory/entity/?q=countess")
    shown = admin_client.get("/django-admin/memory/entity/Ada_Lovelace/change/")
    links = admin_client.get("/django-admin/memory/link/")
    categories = admin_client.get("/django-admin/memory/category/")

    assert "Ada Lovelace" in listed.content.decode()
    assert "the Countess" in shown.content.decode()
    assert "Mathematician" in shown.content.decode()
    assert "seealso" in links.content.decode()
    assert "People" in categories.content.decode()
    assert admin_client.get("/django-admin/memory/entity/add/").status_code == 403
