"""Asks the served model, at the lowest priority: whenever anybody else asks, it waits.

A question that is under way when somebody comes is dropped and asked again later, since what a
person waits for must not wait for this.
"""

import asyncio
import re
import threading
import uuid
from collections.abc import Sequence
from dataclasses import replace
from types import TracebackType
from typing import Self

from inference import runtime
from inference.errors import EngineNotRunning, GenerationFailed, InvalidRequest, QueueFull
from inference.events import Failed, Finished, FinishReason, TextDelta
from inference.messages import Message, Role
from inference.request import ChatPrompt, GenerationRequest, SamplingChoice
from memory.synthesis.errors import NoModel, Stopped
from memory.synthesis.question import Question

LOOK_SECONDS = 0.2
"""Between two looks whether the others are done."""
LEAST_MATERIAL = 200  # characters; a model that has no room for as much has none
_ENDS = re.compile(r"[.!?\n](?=[^.!?\n]*$)")


class _Interrupted(Exception):
    """Somebody else asks the model."""


class ServedModel:
    """Answers questions, `batch` of them at once. Thread: that of its `with` block.

    stop: ends the question that is under way.
    """

    def __init__(self, batch: int, stop: threading.Event) -> None:
        self._batch = batch
        self._stop = stop
        self._asking = 0  # questions of ours that the engine has
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        try:
            runtime.get_service()
        except EngineNotRunning as error:
            raise _no_model(error) from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._runner.close()

    def __call__(self, questions: Sequence[Question]) -> list[str]:
        """Return the answers in order. Raises NoModel, Stopped."""
        return self._runner.run(self._ask_all(questions))

    async def _ask_all(self, questions: Sequence[Question]) -> list[str]:
        places = asyncio.Semaphore(self._batch)

        async def ask(question: Question) -> str:
            async with places:
                return await self._ask(question)

        tasks = [asyncio.create_task(ask(question)) for question in questions]
        try:
            return list(await asyncio.gather(*tasks))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask(self, question: Question) -> str:
        while True:
            await self._wait_for_quiet()
            try:
                return await self._generate(question)
            except (_Interrupted, QueueFull):
                await asyncio.sleep(LOOK_SECONDS)
            except EngineNotRunning as error:
                raise _no_model(error) from error
            except GenerationFailed:
                return ""  # counts as a draft that cannot be taken
            except InvalidRequest as error:
                if len(question.material) <= LEAST_MATERIAL:
                    raise NoModel(f"the served model cannot answer: {error}") from error
                shorter = question.material[: len(question.material) * 2 // 3]
                question = replace(question, material=shorter)

    async def _wait_for_quiet(self) -> None:
        while self._others_ask():  # noqa: ASYNC110 - the engine tells nobody when it is idle
            await asyncio.sleep(LOOK_SECONDS)

    def _others_ask(self) -> bool:
        if self._stop.is_set():
            raise Stopped("the run was told to stop; the next one goes on where it ended")
        try:
            return runtime.get_service().num_under_way > self._asking
        except EngineNotRunning as error:
            raise _no_model(error) from error

    async def _generate(self, question: Question) -> str:
        pieces: list[str] = []
        self._asking += 1
        try:
            generation = await runtime.get_service().generate(_request(question))
            async with generation:
                async for event in generation:
                    match event:
                        case TextDelta(text):
                            pieces.append(text)
                        case Finished(reason):
                            text = "".join(pieces).strip()
                            return text if reason is FinishReason.STOP else _whole(text)
                        case Failed(error):
                            raise error
                    if self._others_ask():
                        raise _Interrupted
        finally:
            self._asking -= 1
        return ""


def _request(question: Question) -> GenerationRequest:
    adapter = f"memory-{question.stage}"
    mounted = {each.id for each in runtime.get_service().adapters.mounted}
    return GenerationRequest(
        id=f"memory-{uuid.uuid4().hex}",
        prompt=ChatPrompt((Message(Role.USER, question.prompt),), thinking=False),
        sampling=SamplingChoice(temperature=0.0),
        max_tokens=question.max_tokens,
        constraint=question.form,
        adapter=(adapter,) if adapter in mounted else None,
    )


def _whole(text: str) -> str:
    """Return an answer that was cut off without its last sentence or line, if it has others."""
    end = _ENDS.search(text)
    return text[: end.end()].rstrip() if end else text


def _no_model(error: EngineNotRunning) -> NoModel:
    return NoModel(
        f"no model answers ({error}); download one with 'manage.py download NAME' and serve it "
        "with 'manage.py runserver_mlx'"
    )
