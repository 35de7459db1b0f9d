"""A service without weights: answers are scripted, everything around them is real."""

from hub.config import HubConfig
from inference.constrainer import GrammarConstrainer
from inference.engine.config import EngineConfig
from inference.engine.engine import Engine
from inference.engine.scripted import ScriptedRunner
from inference.engine.sequence import Sequence
from inference.errors import InvalidRequest
from inference.model_info import GenerationDefaults, ModelInfo
from inference.options import ServeOptions
from inference.service import GenerationService, ServiceConfig
from inference.text.byte_tokenizer import END_OF_TURN, ByteTokenizer

CONTEXT = 8192
_GREETING = "This is the scripted model. You said: "
_RESULT = "The tool said: "


def build(options: ServeOptions, hub: HubConfig) -> GenerationService:
    """Start an engine that repeats the last message back; `hub` is not asked."""
    if options.adapter is not None:
        raise InvalidRequest("the scripted model takes no adapters; leave --adapter out")
    engine = Engine(
        lambda: ScriptedRunner(_echo, step_seconds=0.002),
        EngineConfig(max_running=options.batch, kv_budget_bytes=options.kv_budget_bytes),
    )
    engine.start()
    tokenizer = ByteTokenizer()
    return GenerationService(
        engine=engine,
        tokenizer=tokenizer,
        model=ModelInfo("scripted", None, CONTEXT, "scripted"),
        config=ServiceConfig(
            defaults=GenerationDefaults(options.temperature, options.top_p, options.top_k),
            max_tokens=options.max_tokens,
            max_context=CONTEXT,
            thinking=options.thinking,
            tone_curve=options.tone_curve,
            tone_curve_enabled=options.hlg_sampling,
            grammar=options.grammar,
            batch=options.batch,
            backend="none: the answers are scripted",
        ),
        description=[("Model", "scripted"), ("Backend", "none: the answers are scripted")],
        constrainer=GrammarConstrainer(tokenizer, END_OF_TURN + 1, enabled=options.grammar),
    )


def _echo(sequence: Sequence) -> list[int]:
    """Say what was said last. So a message that spells a call makes the model call; then it
    tells what came of it."""
    prompt = bytes(sequence.prompt).decode(errors="replace")
    said = prompt.rpartition("<user>")[2]
    answer, _, result = said.rpartition("<tool>")
    if answer:
        return [*(_RESULT + result.removesuffix("<assistant>").rstrip()).encode(), END_OF_TURN]
    return [*(_GREETING + said.partition("\n<assistant>")[0]).encode(), END_OF_TURN]
