"""From a request to what the engine needs: constraints, forced calls, reasoning, warnings."""

import json

import pytest

from inference.constrainer import DISABLED, GrammarConstrainer
from inference.constraining import effective_constraint
from inference.constraint import AnyJson, Choice, Ebnf, JsonSchema
from inference.defaults import RequestDefaults
from inference.events import FinishReason, TextDelta, ToolCalled
from inference.messages import Message, Role
from inference.model_info import GenerationDefaults
from inference.request import (
    CallPolicy,
    ChatPrompt,
    GenerationRequest,
    TextPrompt,
    ToolChoice,
)
from inference.request_preparer import RequestPreparer
from inference.text.answer_reader import AnswerFormat
from inference.text.byte_tokenizer import END_OF_TURN, ByteTokenizer
from tests.plugins.harmony import RETURN, HarmonyTokenizer

HELLO = (Message(Role.USER, "hi"),)
YES_NO = Choice(("yes", "no"))
FINAL = "<|channel|>final<|message|>"
WEATHER = {
    "type": "function",
    "function": {
        "name": "weather",
        "parameters": {
            "type": "object",
            "properties": {"city": {"enum": ["Oslo"]}},
            "required": ["city"],
        },
    },
}
TIME = {"type": "function", "function": {"name": "time"}}


def make_preparer(*, enabled=True, tokenizer=None):
    tokenizer = tokenizer or ByteTokenizer()
    answer_format = AnswerFormat.of(tokenizer, "scripted")
    return RequestPreparer(
        tokenizer=tokenizer,
        answer_format=answer_format,
        defaults=RequestDefaults(GenerationDefaults(), None, tokenizer.chat_template, "scripted"),
        constrainer=GrammarConstrainer(tokenizer, len(tokenizer.token_bytes), enabled=enabled),
        find_stable=False,
    )


def request(prompt=None, **fields):
    return GenerationRequest("a", prompt or ChatPrompt(HELLO), **fields)


def follows(matcher, text):
    """Whether the matcher takes a text byte by byte and may end after it."""
    return all(matcher.accept(byte) for byte in text.encode()) and matcher.accept(END_OF_TURN)


def test_free_text_has_no_matcher_and_no_warning():
    prepared = make_preparer().prepare(request())

    assert (prepared.matcher, prepared.warnings) == (None, ())


@pytest.mark.parametrize(("text", "fits"), [("yes", True), ("no", True), ("maybe", False)])
def test_a_constrained_answer_is_held_to_its_grammar(text, fits):
    prepared = make_preparer().prepare(request(constraint=YES_NO))

    assert follows(prepared.matcher, text) is fits


def test_raw_text_is_constrained_too():
    prepared = make_preparer().prepare(request(TextPrompt("Q:"), constraint=YES_NO))

    assert follows(prepared.matcher, "yes")


def test_what_cannot_be_enforced_is_asked_for_in_words_and_announced():
    prepared = make_preparer(enabled=False).prepare(request(constraint=YES_NO))

    assert prepared.matcher is None
    assert prepared.warnings == (DISABLED,)
    text = bytes(prepared.prompt.token_ids).decode()
    assert text.startswith("<system>") and '["yes", "no"]' in text


def test_the_instruction_follows_the_system_text_that_is_there():
    system = Message(Role.SYSTEM, "be kind")

    prepared = make_preparer(enabled=False).prepare(
        request(ChatPrompt((system, *HELLO)), constraint=YES_NO)
    )

    text = bytes(prepared.prompt.token_ids).decode()
    assert text.startswith("<system>be kind\n\n") and text.count("<system>") == 1


def test_raw_text_is_not_instructed():
    prepared = make_preparer(enabled=False).prepare(request(TextPrompt("Q:"), constraint=YES_NO))

    assert bytes(prepared.prompt.token_ids) == b"Q:"
    assert prepared.warnings == (DISABLED,)


def test_a_grammar_that_cannot_be_read_is_a_warning():
    prepared = make_preparer().prepare(request(constraint=Ebnf("root ::= (")))

    assert prepared.matcher is None and len(prepared.warnings) == 1


def test_reasoning_that_the_prompt_opened_is_free():
    thinking = ChatPrompt((Message(Role.USER, "hi"),), thinking=True)

    prepared = make_preparer().prepare(request(thinking, constraint=YES_NO))

    # This template leaves it to the model to open reasoning; so that a grammar need not
    # forbid it, it is opened in the prompt.
    assert bytes(prepared.prompt.token_ids).endswith(b"<think>\n")
    assert follows(prepared.matcher, "hm, {maybe}</think>yes")


def test_without_thinking_the_grammar_holds_from_the_first_token():
    direct = ChatPrompt(HELLO, thinking=False)

    prepared = make_preparer().prepare(request(direct, constraint=YES_NO))

    assert not follows(prepared.matcher, "hm</think>yes")


@pytest.mark.parametrize(
    ("thinking", "opened", "before"),
    [
        (None, "<|channel|>analysis<|message|>", f"hm<|end|><|start|>assistant{FINAL}"),
        (True, "<|channel|>analysis<|message|>", f"hm<|end|><|start|>assistant{FINAL}"),
        (False, FINAL, ""),
    ],
)
def test_an_answer_that_is_a_message_of_its_own_is_constrained_behind_its_header(
    thinking, opened, before
):
    tokenizer = HarmonyTokenizer()
    chat = ChatPrompt(HELLO, thinking=thinking)

    prepared = make_preparer(tokenizer=tokenizer).prepare(request(chat, constraint=YES_NO))

    assert tokenizer.decode(prepared.prompt.token_ids).endswith("<|start|>assistant" + opened)
    ids = tokenizer.encode(f"{before}yes")
    assert all(prepared.matcher.accept(token_id) for token_id in [*ids, RETURN])
    events = [event for token_id in ids for event in prepared.reader.add(token_id)]
    shown = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert shown == "yes"


def test_a_required_call_of_such_a_model_is_its_answer():
    tokenizer = HarmonyTokenizer()
    asked = request(ChatPrompt(HELLO, (TIME,), tool_choice=ToolChoice(CallPolicy.REQUIRED)))
    text = f'<|end|><|start|>assistant{FINAL}{{"name": "time", "arguments": {{}}}}'

    prepared = make_preparer(tokenizer=tokenizer).prepare(asked)

    ids = tokenizer.encode(text)
    assert all(prepared.matcher.accept(token_id) for token_id in ids)
    events = [event for token_id in ids for event in prepared.reader.add(token_id)]
    events += prepared.reader.finish(FinishReason.STOP)
    assert [event.name for event in events if isinstance(event, ToolCalled)] == ["time"]


def forced(choice, tools=(WEATHER, TIME)):
    return request(ChatPrompt(HELLO, tools, tool_choice=choice))


@pytest.mark.parametrize(
    ("choice", "call", "fits"),
    [
        (ToolChoice(CallPolicy.REQUIRED), ("weather", {"city": "Oslo"}), True),
        (ToolChoice(CallPolicy.REQUIRED), ("weather", {"city": "Rome"}), False),
        (ToolChoice(CallPolicy.REQUIRED), ("time", {}), True),
        (ToolChoice(CallPolicy.REQUIRED, "time"), ("time", {}), True),
        (ToolChoice(CallPolicy.REQUIRED, "time"), ("weather", {"city": "Oslo"}), False),
    ],
)
def test_a_required_call_is_enforced_and_read(choice, call, fits):
    prepared = make_preparer().prepare(forced(choice))
    text = json.dumps({"name": call[0], "arguments": call[1]})

    assert follows(prepared.matcher, text) is fits
    if fits:
        events = [event for byte in text.encode() for event in prepared.reader.add(byte)]
        events += prepared.reader.finish(FinishReason.STOP)
        assert [(e.name, json.loads(e.arguments)) for e in events] == [call]
        assert isinstance(events[0], ToolCalled)


def test_prose_is_no_answer_where_a_call_is_required():
    prepared = make_preparer().prepare(forced(ToolChoice(CallPolicy.REQUIRED)))

    assert not follows(prepared.matcher, "Let me think")


@pytest.mark.parametrize("constraint", [JsonSchema({"type": "integer"}), AnyJson()])
def test_an_answer_with_a_schema_may_still_call_a_tool(constraint):
    prompt = ChatPrompt(HELLO, (WEATHER,))
    call = '{"name": "weather", "arguments": {"city": "Oslo"}}'
    own = "7" if isinstance(constraint, JsonSchema) else "[7]"

    for text, fits in ((call, True), (own, True), ('"text"', False)):
        prepared = make_preparer().prepare(request(prompt, constraint=constraint))
        assert follows(prepared.matcher, text) is fits


def test_other_constraints_leave_no_room_for_calls():
    asked = request(ChatPrompt(HELLO, (WEATHER,)), constraint=YES_NO)

    assert effective_constraint(asked) == YES_NO
