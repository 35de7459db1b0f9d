"""Search in what was said: every match in its place, and quick over many sessions."""

import json
import time

import pytest

from sessions.errors import NotRead, SessionNotFound
from sessions.store.entries import new_entry
from sessions.store.messages import user_message
from sessions.store.search import AROUND, SessionSearch
from sessions.store.session_file import SessionFile
from sessions.store.store import SessionStore


@pytest.fixture
def store(tmp_path):
    return SessionStore(tmp_path / "sessions")


def add(store, *texts, role="user"):
    file = store.create(cwd="")
    file.append([new_entry("message", None, message={"role": role, "content": t}) for t in texts])
    return file


def marked(match):
    """The marked part, cut out as a browser would: in UTF-16 units."""
    units = match.snippet.encode("utf-16-le")
    return units[2 * match.start : 2 * match.end].decode("utf-16-le")


def found(store, query):
    return [m for each in SessionSearch(store).find(query) for m in each.matches]


def test_case_does_not_matter(store):
    add(store, "The quick brown FOX")

    (match,) = found(store, "Quick Brown fox")

    assert marked(match) == "quick brown FOX"
    assert (match.snippet, match.role) == ("The quick brown FOX", "user")


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("İstanbul in İzmir", "izmir", None),
        ("İstanbul in İzmir", "i̇zmir", "İzmir"),
        ("an İİİ and then word", "word", "word"),
        ("die Straße dort", "strasse", "Straße"),
        ("ﬁne ﬂow", "fine", "ﬁne"),
        ("😀😀 yes 😀", "yes", "yes"),
        ("say 😀 again", "😀", "😀"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος", "ΣΊΣΥΦΟΣ"),
    ],
)
def test_what_is_marked_is_what_stands_in_the_text(store, text, query, expected):
    add(store, text)

    matches = found(store, query)

    assert [marked(match) for match in matches] == ([expected] if expected else [])


def test_snippets_are_cut_around_the_match(store):
    add(store, "a" * 100 + "needle" + "b" * 100)

    (match,) = found(store, "needle")

    assert match.snippet == "…" + "a" * AROUND + "needle" + "b" * AROUND + "…"
    assert marked(match) == "needle"


def test_the_edge_of_a_text_is_not_marked_as_cut(store):
    add(store, "needle" + "b" * AROUND)

    (match,) = found(store, "needle")

    assert "…" not in match.snippet


def test_each_occurrence_is_a_match_up_to_ten_a_session_and_fifty_in_all(store):
    for _ in range(7):
        add(store, "word " * 20)

    results = SessionSearch(store).find("word")

    assert [len(each.matches) for each in results] == [10] * 5


def test_thoughts_calls_results_and_unknown_roles_are_not_searched(store):
    file = store.create(cwd="")
    content = [
        {"type": "thinking", "thinking": "needle"},
        {"type": "toolCall", "id": "1", "name": "needle", "arguments": {"x": "needle"}},
        {"type": "text", "text": "hay"},
    ]
    result = {"role": "toolResult", "content": [{"type": "text", "text": "needle"}]}
    for message in ({"role": "assistant", "content": content}, result):
        file.append([new_entry("message", None, message=message)])

    assert found(store, "needle") == []
    assert len(found(store, "hay")) == 1


def test_damaged_lines_are_passed_over(store):
    file = add(store, "needle")
    with file.path.open("a") as raw:
        raw.write("{ needle\n" + json.dumps({"type": "message", "message": "needle"}) + "\n")

    assert len(found(store, "needle")) == 1


def test_a_session_that_cannot_be_read_now_is_searched_as_it_was(store, monkeypatch, caplog):
    add(store, "fox one")
    late = add(store, "fox two")
    search = SessionSearch(store)
    search.find("fox")
    read = SessionFile.read

    for error, expected in [(NotRead("no"), 2), (SessionNotFound(), 1)]:
        late.append([new_entry("message", None, message=user_message("fox three"))])

        def fail(self, error=error):
            if self.name == late.name:
                raise error
            return read(self)

        monkeypatch.setattr(SessionFile, "read", fail)
        assert len(search.find("fox")) == expected
    assert "is not searched as it is now: no" in caplog.text


def test_a_session_that_grew_or_went_is_noticed(store):
    search = SessionSearch(store)
    file = add(store, "one")
    assert len(search.find("one")) == 1

    file.append([new_entry("message", None, message=user_message("two"))])
    assert len(search.find("two")) == 1

    store.delete(file.name)
    assert search.find("one") == []


def test_two_thousand_sessions_are_searched_at_once(store):
    store.root.mkdir()
    said = ["lorem ipsum dolor sit amet " * 40, "Ünïcode and ASCII ßide by side " * 30]
    for number in range(2000):
        lines = [{"type": "session", "id": str(number)}]
        lines += [
            {"type": "message", "id": f"{i}", "message": user_message(text)}
            for i, text in enumerate([*said, f"the number is {number}."])
        ]
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (store.root / f"{number}.jsonl").write_text(text)
    search = SessionSearch(store)
    search.find("warm up")

    took = []
    for _ in range(5):
        start = time.perf_counter()
        results = search.find("the number is 1234.")
        took.append(time.perf_counter() - start)

    assert [each.name for each in results] == ["1234.jsonl"]
    assert min(took) < 0.3
