"""The next turn's prompt really begins with what was said to be stable of this one's."""

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inference.messages import Message, Role, ToolCall
from inference.request import ChatPrompt
from inference.text.prompt import build_prompt
from inference.text.stable_prefix import common_length, stable_length
from inference.text.tokenizer import EncodedText
from tests.plugins.tiny_tokenizer import byte_tokenizer, merging_tokenizer, spaced_tokenizer

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
# Thoughts stay from the last question on, earlier ones go; the answer begins with one.
THINKING = """
{%- set ns = namespace(last=-1) %}
{%- for m in messages %}{% if m.role == 'user' %}{% set ns.last = loop.index0 %}{% endif %}
{%- endfor %}
{%- for m in messages %}{{- '<|im_start|>' ~ m.role ~ '\\n' }}
{%- if m.role == 'assistant' and loop.index0 > ns.last %}
{{- '<think>\\n' ~ (m.reasoning_content or '')|trim ~ '\\n</think>\\n\\n' }}
{%- endif %}{{- m.content|trim }}
{%- for c in m.tool_calls or [] %}{{- '<tool_call>' ~ c.function|tojson ~ '</tool_call>' }}
{%- endfor %}{{- '<|im_end|>\\n' }}{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n<think>\\n' }}{% endif %}"""
GEMMA = (
    "{{ bos_token }}{% for m in messages %}{% if m.role == 'system' %}"
    "{{ raise_exception('System role not supported') }}{% endif %}<start_of_turn>"
    "{{ 'model' if m.role == 'assistant' else m.role }}\n{{ m.content|trim }}<end_of_turn>\n"
    "{% endfor %}{% if add_generation_prompt %}<start_of_turn>model\n{% endif %}"
)
LLAMA = (
    "{{ bos_token }}{% for m in messages %}<|start_header_id|>{{ m.role }}<|end_header_id|>\n\n"
    "{{ m.content|trim }}<|eot_id|>{% endfor %}"
    "{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}"
)
# Words in place of special tokens, and the system's text before the last question.
INSTRUCTIONS = (
    "{{ bos_token }}{% for m in messages if m.role != 'system' %}{% if m.role == 'assistant' %}"
    " {{ m.content|trim }}{{ eos_token }}{% else %}[INST] {% if loop.last and "
    "messages[0].role == 'system' %}{{ messages[0].content }}\n\n{% endif %}"
    "{{ m.content }} [/INST]{% endif %}{% endfor %}"
)
SPECIALS = [
    *("<|im_start|>", "<|im_end|>", "<start_of_turn>", "<end_of_turn>"),
    *("<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"),
]
TEMPLATES = {
    "ChatML": CHATML,
    "ChatML that thinks": THINKING,
    "Gemma": GEMMA,
    "Llama 3": LLAMA,
    "instructions": INSTRUCTIONS,
}

texts = st.lists(
    st.sampled_from(
        ["hello", "user", " ", "\n", "\n\n", ".", "?", "1", "é", "<think>", "<|im_end|>", "</s>"]
    ),
    max_size=6,
).map("".join)


@st.composite
def conversations(draw):
    """A conversation that ends with a question, and a longer one that continues it."""
    turn = st.tuples(texts.map(user), st.builds(answer, texts, st.none() | texts))
    said = [Message(Role.SYSTEM, text) for text in draw(st.lists(texts, max_size=1))]
    said += [message for both in draw(st.lists(turn, max_size=2)) for message in both]
    said += [user(draw(texts))]
    following = [answer(draw(texts), draw(st.none() | texts)), user(draw(texts))]
    return said, [*said, *following]


def user(text):
    return Message(Role.USER, text)


def answer(text, reasoning=None):
    return Message(Role.ASSISTANT, text, reasoning=reasoning)


def built(tokenizer, messages):
    return build_prompt(tokenizer, ChatPrompt(tuple(messages)))


def stable_text(tokenizer, messages):
    """The stable part, special tokens left out."""
    prompt = built(tokenizer, messages)
    stable = prompt.token_ids[: prompt.stable_length]
    return b"".join(tokenizer.token_bytes[token] for token in stable).decode()


@pytest.fixture(params=TEMPLATES)
def template(request):
    return TEMPLATES[request.param]


@pytest.mark.parametrize("make", [merging_tokenizer, spaced_tokenizer])
@given(pair=conversations())
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_the_next_turn_begins_with_the_stable_tokens(load_once, template, make, pair):
    tokenizer = load_once(template, make)
    now, later = (built(tokenizer, messages) for messages in pair)

    assert later.token_ids[: now.stable_length] == now.token_ids[: now.stable_length]


@pytest.fixture
def load_once(load_tokenizer):
    """As `load_tokenizer`, for the many examples of one test."""
    loaded = []

    def load(template, make):
        if not loaded:
            loaded.append(load_tokenizer(template, make, specials=SPECIALS))
        return loaded[0]

    return load


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ChatML", "system\nbe kind\nuser\nhello there.\nassistant"),
        ("ChatML that thinks", "system\nbe kind\nuser\nhello there.\nassistant"),
        ("Gemma", "user\nbe kind\n\nhello there.\nmodel"),
        ("Llama 3", "system\n\nbe kinduser\n\nhello there.assistant"),
        ("instructions", ""),
    ],
)
@pytest.mark.parametrize("make", [byte_tokenizer, merging_tokenizer])
def test_what_is_stable_reaches_to_where_the_answer_begins(load_tokenizer, make, name, expected):
    tokenizer = load_tokenizer(TEMPLATES[name], make, specials=SPECIALS)

    assert (
        stable_text(tokenizer, [Message(Role.SYSTEM, "be kind"), user("hello there.")]) == expected
    )


def test_without_special_tokens_a_finished_word_is_stable(load_tokenizer):
    tokenizer = load_tokenizer(INSTRUCTIONS, merging_tokenizer)

    assert stable_text(tokenizer, [user("hello there")]) == "[INST] hello there"


def test_between_rounds_of_tools_all_thoughts_are_stable_and_at_a_question_none(load_tokenizer):
    tokenizer = load_tokenizer(THINKING, merging_tokenizer, specials=SPECIALS)
    said = [user("1+1?")]
    prompts = []
    for number in range(3):
        prompts.append(built(tokenizer, said))
        call = ToolCall(f"c{number}", "add", {"a": number})
        said += [
            Message(Role.ASSISTANT, "", reasoning=f"r{number}", tool_calls=(call,)),
            Message(Role.TOOL, "2", extra={"tool_call_id": call.id}),
        ]
    prompts.append(built(tokenizer, said))
    asked = built(tokenizer, [*said, answer("2"), user("sure?")])

    for now, later in itertools.pairwise(prompts):
        assert later.token_ids[: now.stable_length] == now.token_ids[: now.stable_length]
        assert later.stable_length > len(now.token_ids)
    first = prompts[0]
    assert asked.token_ids[: first.stable_length] == first.token_ids[: first.stable_length]


def test_tokens_are_compared_where_their_places_are_unknown(load_tokenizer):
    tokenizer = load_tokenizer(CHATML, byte_tokenizer, specials=SPECIALS)
    now = "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n"
    encoded = EncodedText(tokenizer.encode(now, add_special_tokens=False), None)

    def length(next_text):
        return stable_length(tokenizer, now, encoded, next_text)

    assert length(now + "hello") == len(encoded.token_ids) - 1
    assert length("<|im_start|>assistant\n") == 1
    assert length("x") == 0


@given(st.text("ab"), st.text("ab"))
def test_the_common_length_is_that_of_the_longest_common_beginning(first, second):
    length = common_length(first, second)

    assert first[:length] == second[:length]
    assert not first[length:] or not second[length:] or first[length] != second[length]
