"""FunctionGemma's markers around Gemma 4's objects."""

from inference.text.tools.function_gemma import FORMAT


def test_a_call_is_read(parse, schemas):
    text = (
        "<start_function_call>call:w{city:<escape>Oslo {a,b}<escape>,days:3}<end_function_call>"
        "<start_function_call>call:w{}<end_function_call>"
    )

    answer = parse(FORMAT, text, schemas(w={"city": {"type": "string"}}))

    assert answer.content is None
    assert answer.calls == [("w", {"city": "Oslo {a,b}", "days": 3}), ("w", {})]
