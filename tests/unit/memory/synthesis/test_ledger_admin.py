"""The ledger's admin pages can be read."""

import pytest


@pytest.mark.parametrize("page", ["conversation", "subject", "chunksection", "chunkbucket"])
def test_a_list_shows_what_a_run_left(page, memory, admin_client):
    memory.rules.names = ["Atlas"]
    memory.chats.tell("one", "Atlas runs on MySQL", "Noted.", day=1)
    memory.chats.tell("two", "Atlas serves maps", "I see.", day=2)
    memory.write_policy("Buckets", "- making: what the user makes")
    memory.run()

    answer = admin_client.get(f"/django-admin/memory/{page}/")

    assert answer.status_code == 200
    shown = {
        "conversation": "one",
        "subject": "Atlas",
        "chunksection": "Platform",
        "chunkbucket": "making",
    }
    assert shown[page] in answer.content.decode()
