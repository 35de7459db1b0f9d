"""Other ways to write calls and results, none of them losing one."""

import string

from inference.messages import Message, Role, ToolCall
from inference.text.call_fallbacks import calls_as_text, shorten_call_ids, text_as_thoughts


def test_short_ids_still_join_a_call_and_its_result():
    calls = (ToolCall("call_1", "f", {}), ToolCall("call_\ud83d", "g", {}))
    messages = (
        Message(Role.ASSISTANT, "", tool_calls=calls),
        *(Message(Role.TOOL, "x", extra={"tool_call_id": call.id, "name": "n"}) for call in calls),
    )

    answer, *results = shorten_call_ids(messages)

    ids = [call.id for call in answer.tool_calls]
    assert [result.extra for result in results] == [{"tool_call_id": i, "name": "n"} for i in ids]
    assert all(len(i) == 9 and set(i) <= set(string.hexdigits) for i in ids)
    assert len(set(ids)) == 2


def test_calls_and_results_can_be_text():
    calls = (ToolCall("1", "f", {"a": "é"}), ToolCall("2", "g", {}))
    messages = (
        Message(Role.USER, "x"),
        Message(Role.ASSISTANT, "Let me see.", reasoning="hm", tool_calls=calls),
        Message(Role.TOOL, "5", extra={"tool_call_id": "1"}),
        Message(Role.ASSISTANT, "5"),
    )

    question, answer, result, last = calls_as_text(messages)

    assert (question, last) == (messages[0], messages[3])
    assert (answer.tool_calls, answer.reasoning) == ((), "hm")
    assert answer.text == (
        'Let me see.\n<tool_call>\n{"name": "f", "arguments": {"a": "é"}}\n</tool_call>\n'
        '<tool_call>\n{"name": "g", "arguments": {}}\n</tool_call>'
    )
    assert result == Message(Role.USER, "<tool_response>\n5\n</tool_response>")


def test_text_before_calls_can_be_thoughts():
    called = Message(Role.ASSISTANT, "b", reasoning="a", tool_calls=(ToolCall("1", "f", {}),))
    others = (
        Message(Role.ASSISTANT, "b", reasoning="a"),
        Message(Role.ASSISTANT, "b", tool_calls=called.tool_calls),
        Message(Role.ASSISTANT, "", reasoning="a", tool_calls=called.tool_calls),
    )

    first, *rest = text_as_thoughts((called, *others))

    assert (first.text, first.reasoning, first.tool_calls) == ("", "a\n\nb", called.tool_calls)
    assert tuple(rest) == others
