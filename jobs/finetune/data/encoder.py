"""Makes token ids of rows, and says from which token on a row's answer counts.

Prompt and answer are tokenised apart, at the border where generation begins: there a server
stops reading and the model starts to write, so no token ever spans it, neither here nor there.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from jobs.finetune.data.messages import Conversation, Message
from jobs.finetune.data.rows import BadRow


@dataclass(frozen=True, slots=True)
class Example:
    """A row to learn from. tokens: its ids. start: the first one whose prediction counts."""

    tokens: tuple[int, ...]
    start: int


@dataclass(frozen=True, slots=True)
class Pair:
    """A prompt with a better and a worse answer, as token ids."""

    prompt: tuple[int, ...]
    chosen: tuple[int, ...]
    rejected: tuple[int, ...]

    @property
    def longest(self) -> int:
        return len(self.prompt) + max(len(self.chosen), len(self.rejected))


class Encoder:
    """Tokenises for one model.

    tokenizer: one of transformers'. stop_ids: tokens that end a turn; the tokenizer's own
    end-of-sequence token is one in any case.
    """

    def __init__(self, tokenizer: Any, stop_ids: Iterable[int] = ()) -> None:
        self._tokenizer = tokenizer
        self._end: int | None = tokenizer.eos_token_id
        self._stop_ids = {*stop_ids} | ({self._end} if self._end is not None else set())

    def text(self, text: str) -> list[int]:
        """Bare text, up to and including the end-of-sequence token."""
        return self._ended(self._encode(text, special=True))

    def conversation(
        self, conversation: Conversation, place: str
    ) -> tuple[list[int], list[list[int]]]:
        """Return the prompt's tokens and those of each answer. Raises BadRow."""
        if not self._tokenizer.chat_template:
            return self._plain(conversation, place)
        texts = [self._split(conversation, answer, place) for answer in conversation.answers]
        prompts = {prompt for prompt, _ in texts}
        if len(prompts) > 1:
            raise BadRow(place, "the chat template writes the prompt anew for each answer")
        prompt = prompts.pop()
        return self._encode(prompt), [self._turn(self._encode(answer)) for _, answer in texts]

    def _plain(self, conversation: Conversation, place: str) -> tuple[list[int], list[list[int]]]:
        """Without a chat template, a prompt and a completion are text that goes on."""
        if len(conversation.prompt) != 1 or conversation.tools:
            raise BadRow(place, "conversations need a chat template, and the model has none")
        prompt = self._encode(conversation.prompt[0]["content"], special=True)
        answers = [self._encode(answer["content"]) for answer in conversation.answers]
        return prompt, [self._ended(answer) for answer in answers]

    def _split(self, conversation: Conversation, answer: Message, place: str) -> tuple[str, str]:
        """The text that the model reads before `answer`, and the text it shall write."""
        messages, tools = conversation.prompt, conversation.tools
        whole = self._render([*messages, answer], tools, place, opened=False)
        if not messages:
            return "", whole
        written = answer["role"] == "assistant"
        prompt = self._render(messages, tools, place, opened=written)
        if whole.startswith(prompt):
            return prompt, whole[len(prompt) :]
        # The template opens an answer otherwise than it writes a past one, for instance with a
        # tag for thoughts. The prompt is what the model will read; the answer follows it bare,
        # with what ends its turn.
        if written and not answer.get("tool_calls"):
            bare = answer["content"].strip()
            at = whole.rfind(bare)
            return prompt, whole[at:] if at >= 0 else bare
        raise BadRow(place, "the chat template does not keep what stands before the last turn")

    def _render(
        self, messages: Sequence[Message], tools: Sequence[Any], place: str, *, opened: bool
    ) -> str:
        try:
            return str(
                self._tokenizer.apply_chat_template(
                    list(messages),
                    tools=list(tools) or None,
                    tokenize=False,
                    add_generation_prompt=opened,
                )
            )
        # Templates are programs of the model's author: they raise whatever they like.
        except Exception as error:
            raise BadRow(place, f"the chat template refuses the row: {error}") from error

    def _turn(self, tokens: list[int]) -> list[int]:
        """Cut the layout behind the token that ends the turn, or add that token."""
        stops = [index for index, token in enumerate(tokens) if token in self._stop_ids]
        if stops and not self._tokenizer.decode(tokens[stops[-1] + 1 :]).strip():
            return tokens[: stops[-1] + 1]
        return self._ended(tokens)

    def _ended(self, tokens: list[int]) -> list[int]:
        if self._end is None or (tokens and tokens[-1] in self._stop_ids):
            return tokens
        return [*tokens, self._end]

    def _encode(self, text: str, *, special: bool = False) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=special, verbose=False))
