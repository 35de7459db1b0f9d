"""What one prompt of the user leads to: answers of the model and calls, until nothing is called.

add the question -> ask the model -> carry out its calls -> ask again -> ... -> turn_end
"""

from dataclasses import dataclass

from inference import runtime
from inference.constraint import JsonSchema
from inference.errors import ContextOverBudget
from inference.request import ChatPrompt, GenerationRequest, SamplingChoice
from sessions.agent.calls import Calls
from sessions.agent.compaction import FULL, compact
from sessions.agent.current_session import CurrentSession
from sessions.agent.display import context_usage
from sessions.agent.hygiene import ENDLESS
from sessions.agent.model_turn import Answer, ask, new_request_id
from sessions.agent.prompt import conversation, system_prompt
from sessions.agent.settings import ChatSettings
from sessions.agent.toolbox import Toolbox
from sessions.conversation import Send
from sessions.frames.server import Error, Logprobs, TurnEnd, TurnStart
from sessions.frames.values import TokenScore


@dataclass(slots=True)
class Run:
    """One prompt. Runs as a task that can be cancelled at any point.

    What was said is in the session at every moment, so nothing is lost by it.
    hints: further instructions, such as that there is a memory. ambient: where the user is.
    """

    session: CurrentSession
    settings: ChatSettings
    toolbox: Toolbox
    calls: Calls
    send: Send
    hints: tuple[str, ...]
    ambient: str

    async def go(self) -> None:
        """Answer the newest message; raises InferenceError and NotWritten."""
        await self.send(TurnStart())
        sampling = self.settings.take_sampling()
        answer = await self._ask(sampling)
        while answer.calls:
            await self.calls.carry_out(answer.calls)
            self.calls.guard.turns += 1
            if self.calls.guard.is_over:
                await self.send(Error(message=ENDLESS))
                break
            answer = await self._ask(self.settings.sampling)
        if answer.logprobs:
            await self.send(Logprobs(tokens=_scores(answer)))
        await self.send(
            TurnEnd(lane=answer.lane, usage=answer.usage, entry_id=self.session.answer_id)
        )

    async def _ask(self, sampling: SamplingChoice) -> Answer:
        tokens = await runtime.get_service().count_tokens(self._prompt())
        if tokens >= _window() * FULL:
            await self._compact(tokens)
        try:
            answer = await self._ask_once(self._request(sampling))
        except ContextOverBudget as error:
            if not await self._compact(error.prompt_tokens):
                raise
            answer = await self._ask_once(self._request(sampling))
        if answer.usage is not None:
            await self.send(context_usage(answer.usage))
        return answer

    async def _ask_once(self, request: GenerationRequest) -> Answer:
        answer = Answer()
        try:
            await ask(request, answer, self.send)
        finally:
            # An answer that broke off is kept as far as it came; calls in it were never made.
            if answer.stop_reason in ("aborted", "error"):
                answer.parts = [part for part in answer.parts if part.type != "tool"]
            if answer.parts:
                await self.session.add_message(answer.message())
        return answer

    def _prompt(self) -> ChatPrompt:
        held = self.settings.schema is not None
        tools = () if held or self.calls.guard.is_spent else self.toolbox.declarations()
        system = system_prompt(
            model=runtime.get_service().model.model_id,
            has_tools=bool(tools),
            hints=self.hints,
            user_prompt=self.settings.system_prompt,
            ambient=self.ambient,
        )
        said = conversation(system, self.session.tree)
        # A call of a tool that there is not is answered too, and not shown to the user.
        return ChatPrompt(said, tools=tools, thinking=self.settings.thinking, any_call=not held)

    def _request(self, sampling: SamplingChoice) -> GenerationRequest:
        settings = self.settings
        return GenerationRequest(
            id=new_request_id(),
            prompt=self._prompt(),
            sampling=sampling,
            constraint=None if settings.schema is None else JsonSchema(settings.schema),
            logprobs=0 if settings.logprobs else None,
            adapter=settings.adapter,
            private=self.session.temporary,
        )

    async def _compact(self, tokens: int) -> bool:
        if not await compact(self.session, tokens=tokens, window=_window()):
            return False
        await self.send(context_usage(None))
        return True


def _window() -> int:
    return runtime.get_service().config.max_context


def _scores(answer: Answer) -> list[TokenScore]:
    """Tokens as vocabularies spell them, with their marks for blanks read as such."""
    return [
        TokenScore(
            text=each.chosen.piece.translate({0x120: " ", 0x2581: " ", 0x10A: "\n"}),
            logprob=each.chosen.logprob,
        )
        for each in answer.logprobs
    ]
