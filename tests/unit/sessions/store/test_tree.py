"""Branches of a session: where the user is, what stands beside it, and what the page shows."""

import pytest

from sessions.errors import EntryNotFound
from sessions.frames.values import Image, TextPart, ThinkingPart, ToolPart, Usage
from sessions.store.entries import new_entry
from sessions.store.history import history
from sessions.store.messages import assistant_message, tool_result, user_message
from sessions.store.summary import summarize, title_of
from sessions.store.tree import Tree


class Session:
    """Entries, one after another."""

    def __init__(self):
        self.entries = [new_entry("session", None)]
        self.leaf = None

    def add(self, kind, **data):
        entry = new_entry(kind, self.leaf, **data)
        self.entries.append(entry)
        self.leaf = entry.id
        return entry

    def ask(self, text):
        return self.add("message", message=user_message(text))

    def answer(self, *parts, **more):
        parts = [TextPart(text=p) if isinstance(p, str) else p for p in parts]
        return self.add("message", message=assistant_message(parts, stop_reason="stop", **more))

    def tree(self):
        return Tree(self.entries)


def words(branch):
    return [item.text if item.role == "user" else item.parts[0].text for item in history(branch)]


@pytest.fixture
def session():
    return Session()


@pytest.fixture
def forked(session):
    """One question put in two ways, each with its answer; the newer one goes on."""
    root = session.ask("hello")
    first = session.ask("first")
    session.answer("to the first")
    session.leaf = root.id
    second = session.ask("second")
    session.answer("to the second")
    return session, first, second


def test_the_branch_leads_from_the_beginning_to_the_newest_entry(forked):
    session, _, _ = forked

    assert words(session.tree().branch()) == ["hello", "second", "to the second"]


def test_siblings_are_the_ways_a_message_was_put(forked):
    session, first, second = forked
    tree = session.tree()

    assert [entry.id for entry in tree.siblings(second)] == [first.id, second.id]


def test_going_to_a_sibling_shows_what_was_said_there_last(forked):
    session, first, _ = forked
    session.leaf = session.tree().deepest(first).id
    session.add("branch")

    assert words(session.tree().branch()) == ["hello", "first", "to the first"]
    assert session.tree().last_user().id == first.id


def test_a_deleted_message_is_gone_from_the_branch_and_stays_in_the_file(session):
    session.ask("kept")
    gone = session.answer("gone")
    session.ask("kept too")
    session.add("deletion", targetId=gone.id)

    assert words(session.tree().branch()) == ["kept", "kept too"]
    assert gone in session.entries


def test_an_unknown_message_is_refused(session):
    with pytest.raises(EntryNotFound):
        session.tree().get("nope")


def test_an_entry_whose_parent_is_missing_or_itself_ends_no_walk(session):
    session.leaf = "missing"
    lone = session.ask("lone")
    knot = new_entry("message", lone.id, message=user_message("knot"))
    knot.data["id"] = "knot"
    session.entries.append(type(knot)("message", "knot", "knot", knot.data))

    assert words(session.tree().branch()) == ["lone", "knot"]


def test_a_damaged_line_hides_nothing_but_itself(session):
    session.ask("one")
    session.answer("first")
    damaged = session.answer("second")
    session.ask("two")
    session.entries.remove(damaged)

    assert words(session.tree().branch()) == ["one", "first", "two"]


def test_two_ways_of_a_message_stay_beside_each_other_after_a_damaged_line(session):
    session.ask("one")
    damaged = session.answer("first")
    way = session.ask("two")
    session.answer("second")
    session.leaf = damaged.id
    other = session.ask("two in other words")
    session.entries.remove(damaged)

    assert words(session.tree().branch()) == ["one", "two in other words"]
    assert session.tree().siblings(other) == [way, other]


def test_results_stand_with_their_calls_in_one_answer(session):
    session.ask("read it")
    call = ToolPart(call_id="c1", tool="read", args={"path": "a"})
    session.answer(ThinkingPart(text="hm"), call)
    session.add("message", message=tool_result(call, "contents", ok=True))
    usage = Usage(prompt_tokens=9, completion_tokens=2, cached_tokens=4)
    last = session.answer("It says: contents", usage=usage, lane="serial")

    _, answer = history(session.tree().branch())

    assert [part.type for part in answer.parts] == ["thinking", "tool", "text"]
    assert (answer.parts[1].ok, answer.parts[1].result) == (True, "contents")
    assert (answer.entry_id, answer.usage, answer.lane) == (last.id, usage, "serial")


def test_a_failed_call_and_one_without_a_result_are_told_apart(session):
    session.ask("try")
    failed = ToolPart(call_id="c1", tool="bash", args={})
    lost = ToolPart(call_id="c2", tool="bash", args={})
    session.answer(failed, lost)
    session.add("message", message=tool_result(failed, "no", ok=False))

    answer = history(session.tree().branch())[1]

    assert [part.ok for part in answer.parts] == [False, None]


def test_pictures_come_back(session):
    picture = Image(data="AAAA", mime_type="image/png")
    session.add("message", message=user_message("see", [picture]))

    assert history(session.tree().branch())[0].images == (picture,)


def test_a_seam_shows_where_messages_were_put_in_short(session):
    session.ask("one")
    session.add("compaction", summary="They said one.")
    session.ask("two")

    roles = [item.role for item in history(session.tree().branch())]

    assert roles == ["user", "compaction", "user"]


def test_a_session_is_called_by_its_newest_name_else_by_its_first_words(session):
    assert title_of(session.entries) == "New chat"
    session.ask("  What is\n\na monad? " + "x" * 100)
    assert title_of(session.entries) == "What is a monad? " + "x" * 62 + "…"
    session.add("session_info", name="Monads")
    session.add("session_info", name="Burritos")
    assert title_of(session.entries) == "Burritos"


def test_a_summary_counts_what_was_said(session):
    session.ask("one")
    session.answer("two")
    session.add("session_info", pinned=True)

    summary = summarize(session.entries)

    assert (summary.message_count, summary.pinned, summary.forked) == (2, True, False)


def test_an_answer_is_all_that_was_said_and_done_between_two_questions():
    session = Session()
    first = session.ask("Hello")
    one = session.answer("Hi")
    session.ask("Look")
    looking = ToolPart(call_id="c", tool="look", args={})
    turn = session.answer(looking)
    result = session.add("message", message=tool_result(looking, "shut", ok=True))
    said = session.answer("It is shut.")
    tree = session.tree()

    assert tree.answer(first) == [first]
    assert tree.answer(one) == [one]
    for part in (turn, result, said):
        assert tree.answer(part) == [turn, result, said]
    assert tree.last_answer() == said


def test_a_summary_ends_an_answer():
    session = Session()
    session.ask("Go on")
    before = session.answer("One.")
    session.add("compaction", summary="Counting", firstKeptEntryId=None)
    after = session.answer("Two.")

    assert session.tree().answer(before) == [before]
    assert session.tree().answer(after) == [after]


def test_a_question_has_no_answer_before_it_is_answered():
    session = Session()
    session.ask("Hello")
    session.answer("Hi")
    session.ask("And?")

    assert session.tree().last_answer() is None
