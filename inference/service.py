"""The door to generation: a request in, a stream of events out, whoever asks.

Resolves defaults, builds the prompt off the event loop, checks that it fits, and submits a
sequence to the engine. Knows no protocol.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec

from inference.adapter_service import AdapterService
from inference.adapters.mounted import MountedAdapter
from inference.adapters.target import BaseModel
from inference.constraining import Constrainer
from inference.curve_service import CurveService, Reader, Signal
from inference.defaults import RequestDefaults
from inference.durability import Durability
from inference.embedding import EmbeddingRequest, Embeddings
from inference.embedding_service import Embedder, EmbeddingService
from inference.engine.cache.namespaces import private
from inference.engine.engine import Engine
from inference.engine.sequence import Sequence
from inference.engine.stats import EngineStats
from inference.errors import ContextOverBudget, EngineNotRunning, InvalidRequest
from inference.generation import Generation
from inference.generation_key import generation_key
from inference.handover import Door, handed_over
from inference.kv_budget import require_kv_budget
from inference.kv_quant import NOTHING_KEPT, KvKept
from inference.model_info import GenerationDefaults, ModelInfo
from inference.preparation import Preparation
from inference.request import (
    DEFAULT_CURVE,
    ChatPrompt,
    GenerationRequest,
    SamplingParams,
    TextPrompt,
    ToneCurve,
)
from inference.request_preparer import RequestPreparer
from inference.text.answer_reader import AnswerFormat
from inference.text.media import refuse_media
from inference.text.tokenizer import Tokenizer
from inference.trace import Phase, Trace, measured

_FLUSH_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class ServiceConfig:
    """What the operator decided for every request.

    defaults: sampling fields given on the command line; None leaves the model's own.
    tone_curve, tone_curve_enabled: its values, and whether it is used unless asked.
    max_tokens: for requests that name none; None means no limit but the context.
    thinking: whether to think when a request does not say; None leaves it to the model.
    max_context: tokens, prompt and answer together, that memory and model allow.
    batch: requests that were asked to run at once.
    grammar: whether answers are held to grammars.
    find_stable_prompts: whether it pays to know what a conversation's next turn repeats.
    usable_bytes: memory the model may take; memory_budget_bytes: the same if it was asked for.
    weight_bytes: what the weights take.
    global_layers, sliding_layers: layers that attend to everything; to a window.
    saves_generations: whether answers are saved as they grow, for equal requests to go on from.
    kv: how keys and values are kept.
    backend: how the model is run, in one line; backend_reasons: why.
    """

    defaults: GenerationDefaults
    max_tokens: int | None
    max_context: int
    thinking: bool | None = None
    tone_curve: ToneCurve = DEFAULT_CURVE
    tone_curve_enabled: bool = False
    batch: int = 1
    grammar: bool = True
    find_stable_prompts: bool = False
    usable_bytes: int = 0
    memory_budget_bytes: int | None = None
    weight_bytes: int = 0
    global_layers: int = 0
    sliding_layers: int = 0
    saves_generations: bool = False
    kv: KvKept = NOTHING_KEPT
    backend: str = ""
    backend_reasons: tuple[str, ...] = ()


class GenerationService:
    """Serves one model. Methods may be called from any event loop.

    Once another model is served, requests that reach this service are handed on to the next.

    door: the way in; whoever switches models closes it.
    gen_defaults: the sampling defaults in force, the operator's over the model author's.
    adapters: those of the model; to mount and to unmount, ask the service.
    durability: what is kept of prompts when this ends.
    """

    def __init__(
        self,
        *,
        engine: Engine,
        tokenizer: Tokenizer,
        model: ModelInfo,
        config: ServiceConfig,
        description: list[tuple[str, str]],
        constrainer: Constrainer,
        embedder: Embedder | None = None,
        adapters: AdapterService | None = None,
        durability: Durability | None = None,
        signal_reader: Reader | None = None,
    ) -> None:
        self.model = model
        self.config = config
        self.answer_format = AnswerFormat.of(tokenizer, model.model_type)
        self.started_at = time.time()  # unix seconds
        self.door: Door[GenerationService] = Door(engine.config.max_waiting)
        # Asked for once: while it is being loaded, what stands in for it has no spec.
        self._has_xgrammar = find_spec("xgrammar") is not None
        self._engine = engine
        self._tokenizer = tokenizer
        self._description = description
        self._preparation = Preparation(engine.config)
        self._embedding: EmbeddingService | None = None
        if embedder is not None:
            self._embedding = EmbeddingService(
                engine=engine,
                tokenizer=tokenizer,
                embedder=embedder,
                preparation=self._preparation,
                max_tokens=config.max_context,
                memory_bound=config.max_context < model.context_window,
            )
        self.gen_defaults = model.defaults.overlaid_by(config.defaults)
        self._defaults = RequestDefaults(
            sampling=self.gen_defaults,
            thinking=config.thinking,
            chat_template=tokenizer.chat_template,
            model_type=model.model_type,
            curve=config.tone_curve,
            curve_enabled=config.tone_curve_enabled,
        )
        self.adapters = adapters or AdapterService(engine, BaseModel(model.model_id, {}, 0))
        self.durability = durability or Durability()
        self._vocab_size = model.vocab_size or len(tokenizer.token_bytes)
        self._preparer = RequestPreparer(
            tokenizer=tokenizer,
            answer_format=self.answer_format,
            defaults=self._defaults,
            constrainer=constrainer,
            find_stable=config.find_stable_prompts,
        )
        self._curves = CurveService(
            engine=engine,
            preparation=self._preparation,
            build=self._preparer.build,
            reader=signal_reader,
            adapt=partial(self.adapters.select, None),
            max_tokens=config.max_context,
        )

    @handed_over
    async def generate(self, request: GenerationRequest, trace: Trace | None = None) -> Generation:
        """Admit a request and return its generation, which the caller must close.

        trace: where its phases are noted, if anywhere; the caller writes the record.
        Raises InvalidRequest (ContextOverBudget among them), QueueFull, EngineNotRunning.
        """
        if not self.is_alive:
            raise EngineNotRunning("the engine is not running; restart the server")
        self._check(request)
        adapted = self.adapters.select(request.adapter)
        with measured(trace, Phase.PROMPT_PREPARE):
            prepared = await self._preparation.run(self._preparer.prepare, request)
        prompt = prepared.prompt
        length = len(prompt.token_ids)
        if trace is not None:
            trace.begin(Phase.COMPLETION)
        with measured(trace, Phase.PLACEMENT):
            thinking = self._thinking(request.prompt)
            sampling = self._defaults.choose_sampling(request.sampling, thinking=thinking)
            namespace = "" if adapted is None else adapted.namespace
            sequence = Sequence(
                id=request.id,
                prompt=prompt.token_ids,
                sampling=sampling,
                max_tokens=self._max_tokens(request, length),
                stop_token_ids=self._tokenizer.stop_token_ids,
                serial=_is_serial(request, sampling) or adapted is not None,
                logprobs=request.logprobs,
                matcher=prepared.matcher,
                stable_length=prompt.stable_length,
                namespace=private(namespace) if request.private else namespace,
                adapted_model=adapted,
                trace=trace,
            )
            if self.config.saves_generations and not request.private:
                sequence.generation_key = generation_key(request, sequence)
            stream = self._engine.submit(sequence)
        return Generation(
            prompt_tokens=length,
            tokenizer=self._tokenizer,
            reader=prepared.reader,
            stream=stream,
            abort=lambda reason: self._engine.abort(sequence.id, reason),
            on_call=self._preparer.calls.remember,
            warnings=prepared.warnings,
            trace=trace,
            model_id=self.model.model_id,
        )

    @handed_over
    async def mount_adapter(self, adapter_id: str, path: str) -> MountedAdapter:
        """Mount an adapter on the model that is served now, or once the next one is.

        Raises as `AdapterService.mount`, and QueueFull.
        """
        return await self.adapters.mount(adapter_id, path)

    @handed_over
    async def unmount_adapter(self, adapter_id: str) -> MountedAdapter | None:
        """Unmount an adapter; raises as `AdapterService.unmount`, and QueueFull."""
        return await self.adapters.unmount(adapter_id)

    @handed_over
    async def count_tokens(self, prompt: ChatPrompt) -> int:
        """Return how many tokens a prompt has; the engine does not hear of it.

        Raises InvalidRequest for what `generate` would refuse, QueueFull; never for length.
        """
        refuse_media(prompt.messages, self.model.model_id)
        return len((await self._preparation.run(self._preparer.build, prompt)).token_ids)

    @handed_over
    async def embed(self, request: EmbeddingRequest) -> Embeddings:
        """Return the vectors of texts, once the generations that run have ended.

        Raises InvalidRequest (ContextOverBudget among them; also if the served model embeds
        nothing), QueueFull, EngineNotRunning, GenerationFailed.
        """
        if self._embedding is None:
            raise InvalidRequest(
                f"the served model '{self.model.model_id}' is no embedding model; serve one, "
                "such as Qwen3-Embedding, to embed texts"
            )
        return replace(await self._embedding.embed(request), model_id=self.model.model_id)

    @handed_over
    async def signal(self, prompt: ChatPrompt) -> Signal:
        """Return how likely the model holds each token after a prompt, as a histogram.

        Raises as `CurveService.signal`.
        """
        refuse_media(prompt.messages, self.model.model_id)
        return await self._curves.signal(prompt)

    @asynccontextmanager
    async def hold(self) -> AsyncIterator[None]:
        """Have no answer generated inside of the block, so that others can use the machine.

        Entering waits for the generations that run; the weights stay loaded. Requests that come
        meanwhile wait as if they were behind a long one, and streams send their keep-alives.
        Another model is not switched to. Raises EngineNotRunning.
        """
        service = self
        while not service.door.enter():
            service = await service.door.successor()
        try:
            hold = service._engine.hold()
            try:
                # shield: what the engine thread is to say, nobody else may say before.
                await asyncio.shield(asyncio.wrap_future(hold.granted))
                yield
            finally:
                service._engine.release(hold)
        finally:
            service.door.leave()

    @property
    def can_embed(self) -> bool:
        """Whether the served model turns texts into vectors."""
        return self._embedding is not None

    @property
    def can_constrain(self) -> bool:
        """Whether answers are held to schemas and grammars."""
        return self.config.grammar and self._has_xgrammar

    @property
    def is_alive(self) -> bool:
        """Whether requests are answered, be it by the model that is being loaded."""
        return self._engine.is_alive or self.door.awaits_successor

    @property
    def is_idle(self) -> bool:
        """Whether no request is under way in here; those that wait for a successor are not."""
        return self.door.is_empty and self._engine.is_idle

    @property
    def num_under_way(self) -> int:
        """How many requests the engine has, waiting ones included."""
        return self._engine.num_under_way

    @property
    def max_running(self) -> int:
        """How many requests may decode together."""
        return self._engine.config.max_running

    @property
    def kv_budget_bytes(self) -> int | None:
        """What the keys and values of all that run may come to; None for no limit."""
        return self._engine.config.kv_budget_bytes

    @property
    def batch_mode(self) -> str:
        """Tell whether requests share steps: `batch`; or not, as configured: `off`; or
        though configured, because the model's rows cannot: `serial`."""
        if self.config.batch == 1:
            return "off"
        return "serial" if self._engine.config.max_running == 1 else "batch"

    def stats(self) -> EngineStats:
        return self._engine.stats()

    def describe(self) -> list[tuple[str, str]]:
        """Return labelled facts for people, the model's name first."""
        return self._description

    def close(
        self, timeout_seconds: float = 10.0, *, flush_seconds: float = _FLUSH_SECONDS
    ) -> bool:
        """End the engine; requests still in it fail. Returns whether its memory is free.

        flush_seconds: how long prompts may take to be written that are to outlive it.
        """
        self.durability.flush_within(flush_seconds)
        ended = self._engine.stop(timeout_seconds)
        self._embedding = None  # holds the model
        self.adapters.close()  # so do they
        return ended

    def _check(self, request: GenerationRequest) -> None:
        """Refuse what this model cannot do, before any work is done for it."""
        if isinstance(request.prompt, ChatPrompt):
            refuse_media(request.prompt.messages, self.model.model_id)
        for token_id in request.sampling.logit_bias or ():
            if not 0 <= token_id < self._vocab_size:
                raise InvalidRequest(
                    f"logit_bias names token {token_id}, but this model's ids go from 0 to "
                    f"{self._vocab_size - 1}",
                    "logit_bias",
                )

    def _thinking(self, prompt: ChatPrompt | TextPrompt) -> bool | None:
        return self._defaults.decide_thinking(prompt) if isinstance(prompt, ChatPrompt) else None

    def _max_tokens(self, request: GenerationRequest, prompt_tokens: int) -> int:
        room = self.config.max_context - prompt_tokens
        param = "messages" if isinstance(request.prompt, ChatPrompt) else "prompt"
        if room < 1:
            raise ContextOverBudget(
                self._over_budget(prompt_tokens),
                param,
                prompt_tokens=prompt_tokens,
                limit=self.config.max_context - 1,
            )
        asked = request.max_tokens
        wanted = self.config.max_tokens if asked is None else asked
        longest = room if wanted is None else min(wanted, room)
        require_kv_budget(
            self._engine.config, prompt_tokens=prompt_tokens, max_tokens=longest, param=param
        )
        return longest

    def _over_budget(self, prompt_tokens: int) -> str:
        limit = self.config.max_context
        if limit < self.model.context_window:
            return (
                f"prompt is {prompt_tokens} tokens but the memory budget caps safe context at "
                f"{limit} — no room to generate; shorten the prompt or raise --memory-budget"
            )
        return (
            f"prompt is {prompt_tokens} tokens but the model's context ends at {limit} — "
            "no room to generate; shorten the prompt or serve another model"
        )


def _is_serial(request: GenerationRequest, sampling: SamplingParams) -> bool:
    """Decide the lane, by the contract's table: once, from what was asked for."""
    asked = request.logprobs is not None or request.sampling.seed is not None
    return asked or sampling.tone_curve is not None or sampling.transfer_curve is not None
