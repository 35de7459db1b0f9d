"""A process that writes prompts to disk without end, for tests that kill it.

    python -m tests.plugins.ssd_victim CHECKPOINT FOLDER MAX_BYTES SEED

Prints a line when it has begun to write.
"""

import asyncio
import random
import sys
from pathlib import Path

from inference.engine.blas import load_openblas

NUM_PROMPTS = 8


def make_prompts() -> list[list[int]]:
    """Prompts of 200 to 500 tokens; every third goes on from the one before."""
    numbers = random.Random(7)
    prompts: list[list[int]] = []
    for index in range(NUM_PROMPTS):
        prompt = [numbers.randrange(256) for _ in range(numbers.randint(200, 400))]
        prompts.append(prompts[-1] + prompt[:100] if index % 3 == 2 else prompt)
    return prompts


async def write_without_end(engine, numbers: random.Random) -> None:
    prompts = make_prompts()
    while True:
        await engine.answer(numbers.choice(prompts), 2)
        await asyncio.to_thread(engine.flush)
        sys.stdout.write("writing\n")
        sys.stdout.flush()


def main() -> None:
    load_openblas()
    from tests.plugins.ssd_engine import SsdEngine

    checkpoint, folder, max_bytes, seed = sys.argv[1:]
    engine = SsdEngine(
        Path(checkpoint),
        Path(folder),
        memory_bytes=2 * 10**6,
        options={"max_bytes": int(max_bytes)},
    )
    asyncio.run(write_without_end(engine.start(), random.Random(int(seed))))


if __name__ == "__main__":
    main()
