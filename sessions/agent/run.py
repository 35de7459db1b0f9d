"""What one prompt of the user leads to: answers of the model and calls, until nothing is called.

add the question -> ask the model -> carry out its calls -> ask again -> ... -> turn_end
"""

from dataclasses import dataclass, replace

from inference import runtime
from inference.constraint import JsonSchema
from inference.errors import ContextOverBudget
from inference.request import ChatPrompt, GenerationRequest, SamplingChoice
from sessions.agent.calls import Calls
from sessions.agent.compaction import FULL, compact
from sessions.agent.current_session import CurrentSession
from sessions.agent.model_turn import Answer, ask, new_request_id
from sessions.agent.prompt import conversation, estimated_tokens, system_prompt
from sessions.agent.settings import ChatSettings
from sessions.agent.toolbox import Toolbox
from sessions.conversation import Send
from sessions.frames.server import ContextUsage, Logprobs, TurnEnd, TurnStart
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
            self.calls.guard.turns += 1
            await self.calls.carry_out(answer.calls)
            answer = await self._ask(self.settings.sampling)
        if answer.logprobs:
            await self.send(Logprobs(tokens=_scores(answer)))
        await self.send(TurnEnd(lane=answer.lane, usage=answer.usage))

    async def _ask(self, sampling: SamplingChoice) -> Answer:
        await self._make_room()
        try:
            answer = await self._ask_once(sampling)
        except ContextOverBudget:
            if not await compact(self.session, _window()):
                raise
            answer = await self._ask_once(sampling)
        await self._tell_usage(answer)
        return answer

    async def _ask_once(self, sampling: SamplingChoice) -> Answer:
        answer = Answer()
        try:
            await ask(self._request(sampling), answer, self.send)
        finally:
            # An answer that broke off is kept as far as it came; calls in it were never made.
            if answer.stop_reason in ("aborted", "error"):
                answer.parts = [part for part in answer.parts if part.type != "tool"]
            if answer.parts:
                await self.session.add_message(answer.message())
        return answer

    def _request(self, sampling: SamplingChoice) -> GenerationRequest:
        settings = self.settings
        schema = settings.schema
        tools = () if schema is not None or self.calls.guard.is_spent else self.toolbox
        system = system_prompt(
            model=runtime.get_service().model.model_id,
            has_tools=len(tools) > 0,
            hints=self.hints,
            user_prompt=settings.system_prompt,
            ambient=self.ambient,
        )
        prompt = ChatPrompt(
            conversation(system, self.session.tree.branch()),
            tools=self.toolbox.declarations() if tools else (),
            thinking=settings.thinking,
        )
        request = GenerationRequest(
            id=new_request_id(), prompt=prompt, sampling=sampling, adapter=settings.adapter
        )
        if schema is not None:
            request = replace(request, constraint=JsonSchema(schema))
        return replace(request, logprobs=0) if settings.logprobs else request

    async def _make_room(self) -> None:
        window = _window()
        if estimated_tokens(self.session.tree.branch()) < window * FULL:
            return
        if await compact(self.session, window):
            await self.send(ContextUsage(tokens=None, context_window=window, percent=None))

    async def _tell_usage(self, answer: Answer) -> None:
        if answer.usage is None:
            return
        window = _window()
        tokens = answer.usage.prompt_tokens + answer.usage.completion_tokens
        percent = 100 * tokens / window
        await self.send(ContextUsage(tokens=tokens, context_window=window, percent=percent))


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
