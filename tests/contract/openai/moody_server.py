"""A real server over a scripted engine that misbehaves when a prompt says so.

    python moody_server.py PORT

Words of the prompt choose the mood: `slow prompt` computes for a second without a pause,
`drip` answers slowly and `flood` fast, both without an end, and `fail in launch` and `fail in
collect` break the step in which two of them decode.
"""

import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

from mlxsite.server import daphne_server  # isort: skip - it installs the reactor

from inference import runtime
from inference.api import sse
from inference.constrainer import GrammarConstrainer
from inference.engine.config import EngineConfig
from inference.engine.engine import Engine
from inference.engine.scripted import ScriptedRunner
from inference.model_info import GenerationDefaults, ModelInfo
from inference.service import GenerationService, ServiceConfig
from inference.text.byte_tokenizer import END_OF_TURN, ByteTokenizer
from mlxsite.asgi import build_application
from mlxsite.guard import GuardPolicy
from mlxsite.server.lifecycle import Lifecycle

KEEP_ALIVE_SECONDS = 0.2
PREFILL_SECONDS = 1.0
DRIP_SECONDS = 0.02
CONTEXT = 100_000_000
FLOOD = END_OF_TURN + 1
FLOOD_TEXT = "flood " * 200


class MoodyTokenizer(ByteTokenizer):
    """Knows one token more, which is long."""

    token_bytes = (*ByteTokenizer.token_bytes, FLOOD_TEXT.encode())


def mood(sequence):
    words = bytes(sequence.prompt).decode()
    known = ("slow prompt", "drip", "flood", "fail in launch", "fail in collect")
    return next((name for name in known if name in words), "")


def moods(sequences):
    return [mood(sequence) for sequence in sequences]


class MoodyRunner(ScriptedRunner):
    def launch(self, plan):
        if "slow prompt" in moods(chunk.sequence for chunk in plan.prefills):
            time.sleep(PREFILL_SECONDS)
        if "drip" in moods(plan.decodes):
            time.sleep(DRIP_SECONDS)
        if moods(plan.decodes).count("fail in launch") == 2:
            raise MemoryError("no memory left")
        return super().launch(plan)

    def collect(self, step):
        if moods(step.plan.decodes).count("fail in collect") == 2:
            raise FloatingPointError("not a number")
        return super().collect(step)


def answer(sequence):
    match mood(sequence):
        case "flood":
            return [FLOOD]
        case "drip" | "fail in launch" | "fail in collect":
            return b"x"
        case _:
            return [*b"ok", END_OF_TURN]


def main(port):
    sse.KEEP_ALIVE_SECONDS = KEEP_ALIVE_SECONDS
    engine = Engine(lambda: MoodyRunner(answer), EngineConfig())
    engine.start()
    tokenizer = MoodyTokenizer()
    runtime._service = GenerationService(
        engine=engine,
        tokenizer=tokenizer,
        model=ModelInfo("moody", None, CONTEXT, "scripted"),
        config=ServiceConfig(defaults=GenerationDefaults(), max_tokens=None, max_context=CONTEXT),
        description=[("Model", "moody")],
        constrainer=GrammarConstrainer(tokenizer, len(tokenizer.token_bytes)),
    )
    lifecycle = Lifecycle(timeout=0)
    daphne_server.serve(
        build_application(policy=GuardPolicy(allowed_hosts=("127.0.0.1",)), lifecycle=lifecycle),
        host="127.0.0.1",
        port=port,
        lifecycle=lifecycle,
        on_ready=lambda: None,
    )
    runtime.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]))
