"""The ledger's admin pages can be read."""

import pytest


@pytest.mark.parametrize("page", ["conversation", "subject", "chunksection"])
def test_a_list_shows_what_a_run_left(page, memory, admin_client):
    memory.rules.names = ["Atlas"]
    memory.chats.tell("one", "Atlas runs on MySQL", "Noted.", day=1)
    memory.chats.tell("two", "Atlas serves maps", "I see.", day=2)
    memory.run()

    answer = admin_client.get(f"/django-admin/memory/{page}/")

    assert answer.status_code == 200
    assert {"conversation": "one", "subject": "Atlas", "chunksection": "Platform"}[
        page
    ] in answer.content.decode()
