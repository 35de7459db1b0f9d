"""A conversation's next turn takes nearly all of the turn before from the prefix cache.

On every kind of layer cache, through the chat template and the tokenizer as the server uses
them; the answers are those of a runner that has seen nothing before.
"""

import json
import string

import pytest

from inference.engine.model_runner import ModelRunner
from inference.engine.sequence import Sequence
from inference.messages import Message, Role
from inference.request import ChatPrompt, SamplingParams
from inference.text.pretrained import PretrainedTokenizer
from inference.text.prompt import build_prompt
from inference.text.stable_prefix import common_length
from tests.plugins.step_loop import StepLoop, make_sequence
from tests.plugins.tiny_model import CHAT_TEMPLATE, write_tokenizer

ANSWER_TOKENS = 20
ROOMY = 1 << 28
NEARLY_ALL = 0.9
KINDS = ["llama", "sliding", "gemma3_text", "gemma4_text", "hybrid", "qwen3_5", "mamba2"]
# Opens the reasoning in the prompt, and leaves none in the history.
THINKING_TEMPLATE = CHAT_TEMPLATE.replace(
    "assistant\n{% endif %}", "assistant\n<think>\n{% endif %}"
)
SYSTEM = Message(
    Role.SYSTEM, "Answer every question about the weather in rhymes, and never at length."
)
QUESTION = "Will it rain tomorrow, or shall I go out without my hat?"


class Chat:
    """Talks to one runner, whose answers are made of small letters."""

    def __init__(self, tokenizer: PretrainedTokenizer, runner: ModelRunner) -> None:
        self.tokenizer = tokenizer
        self.loop = StepLoop(runner, chunk=32)
        letters = tokenizer.encode(string.ascii_lowercase, add_special_tokens=False)
        self.letters_only = SamplingParams(temperature=0, logit_bias=dict.fromkeys(letters, 50.0))

    def ask_together(self, *conversations: tuple[Message, ...]) -> list[Sequence]:
        """Answer conversations at the same time; return their sequences."""
        sequences = []
        for messages in conversations:
            prompt = build_prompt(self.tokenizer, ChatPrompt(messages))
            sequence = make_sequence(prompt.token_ids, ANSWER_TOKENS, self.letters_only)
            sequence.stable_length = prompt.stable_length
            sequences.append(sequence)
        self.loop.answer_all(sequences)
        return sequences

    def ask(self, *messages: Message) -> Sequence:
        return self.ask_together(messages)[0]

    def text(self, sequence: Sequence) -> str:
        alphabet = dict(zip(self.letters_only.logit_bias, string.ascii_lowercase, strict=True))
        return "".join(alphabet[token] for token in sequence.output)


def user(text: str) -> Message:
    return Message(Role.USER, text)


def assistant(text: str) -> Message:
    return Message(Role.ASSISTANT, text)


def reuse(turn: Sequence, before: Sequence) -> float:
    """Return the share of an earlier prompt that a turn took from the cache."""
    return turn.num_cached / len(before.prompt)


@pytest.fixture(scope="module", params=KINDS)
def tiny(request, tiny_model):
    return tiny_model(request.param)


@pytest.fixture
def make_chat(tiny):
    tokenizer = PretrainedTokenizer(tiny.path, {}, {})
    return lambda cache_bytes=ROOMY: Chat(tokenizer, ModelRunner(tiny.model, cache_bytes))


@pytest.fixture
def make_thinking_chat(tiny, tmp_path):
    write_tokenizer(tmp_path)
    path = tmp_path / "tokenizer_config.json"
    path.write_text(
        json.dumps({**json.loads(path.read_text()), "chat_template": THINKING_TEMPLATE})
    )
    tokenizer = PretrainedTokenizer(tmp_path, {}, {})
    return lambda cache_bytes=ROOMY: Chat(tokenizer, ModelRunner(tiny.model, cache_bytes))


@pytest.mark.parametrize("retell", [str, str.upper, lambda text: text[5:]])
def test_whether_the_answer_comes_back_as_it_was_or_changed(retell, make_chat):
    chat, cold = make_chat(), make_chat(0)
    first = chat.ask(SYSTEM, user(QUESTION))
    history = (SYSTEM, user(QUESTION), assistant(retell(chat.text(first))))

    second = chat.ask(*history, user("And the day after?"))

    assert reuse(second, first) > NEARLY_ALL
    assert second.output == cold.ask(*history, user("And the day after?")).output


def test_an_answer_that_comes_back_as_it_was_is_reused_too(make_chat):
    chat = make_chat()
    first = chat.ask(SYSTEM, user(QUESTION))

    second = chat.ask(SYSTEM, user(QUESTION), assistant(chat.text(first)), user("And then?"))

    assert second.num_cached >= len(first.prompt) + ANSWER_TOKENS - 1


def test_where_the_template_leaves_reasoning_out_of_the_history(make_thinking_chat):
    chat, cold = make_thinking_chat(), make_thinking_chat(0)
    messages: tuple[Message, ...] = (SYSTEM, user(QUESTION))
    before = chat.ask(*messages)

    for question in ("And the day after?", "Why?", "Is there any chance of snow this year?"):
        messages = (*messages, assistant(chat.text(before)[10:]), user(question))
        turn = chat.ask(*messages)

        assert reuse(turn, before) > NEARLY_ALL
        assert turn.output == cold.ask(*messages).output
        before = turn


def test_a_prompt_is_kept_once_and_the_whole_once(make_thinking_chat):
    """The whole is all there is where any prefix can be cut from it."""
    chat = make_thinking_chat()

    sequence = chat.ask(SYSTEM, user(QUESTION))

    assert chat.loop.runner.stats().cache_entries == 1 + len(sequence.checkpoints)


def test_asking_again_takes_the_prompt_from_the_cache(make_chat):
    chat = make_chat()
    first = chat.ask(SYSTEM, user(QUESTION))

    again = chat.ask(SYSTEM, user(QUESTION))

    assert reuse(again, first) > NEARLY_ALL
    assert again.output == first.output


def test_conversations_that_run_together(make_chat):
    chat, cold = make_chat(), make_chat(0)
    openings = [(SYSTEM, user(f"{number}: {QUESTION}")) for number in range(5)]
    firsts = chat.ask_together(*openings)
    histories = [
        (*opening, assistant(chat.text(first)[::-1]), user("Go on."))
        for opening, first in zip(openings, firsts, strict=True)
    ]

    seconds = chat.ask_together(*histories)

    assert all(reuse(s, f) > NEARLY_ALL for s, f in zip(seconds, firsts, strict=True))
    assert [s.output for s in seconds] == [cold.ask(*history).output for history in histories]


def test_the_third_conversation_under_one_system_prompt_takes_it_from_the_cache(make_chat):
    chat, cold = make_chat(), make_chat(0)
    first, second = (chat.ask(SYSTEM, user(text)) for text in (QUESTION, "Is it cold?"))

    third = chat.ask(SYSTEM, user("What is the wind like?"))

    assert third.num_cached > NEARLY_ALL * common_length(first.prompt, second.prompt)
    assert third.output == cold.ask(SYSTEM, user("What is the wind like?")).output
