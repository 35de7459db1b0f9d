"""Print the predicted decode rate of a model over the true one, a ratio for each round.

    OPENBLAS_NUM_THREADS=1 python -m benchmarks.decode_prediction FOLDER ROUNDS

A process of its own, as BLAS chooses its threads when it is loaded. One thread, and CPU time in
place of time: on busy cores threads wait for one another far longer than they compute.
"""

import os
import sys
import time
from pathlib import Path

os.environ.setdefault("MLX_DISABLE_COMPILE", "1")

from inference.engine.blas import load_openblas

load_openblas()  # before mlx

from benchmarks.step_loop import StepLoop
from hub.assessment import predict_decode_tps
from hub.bandwidth_probe import measure_gbps
from hub.density import WeightsOption
from hub.local_model import read_local_model
from hub.machine import Device, Machine
from hub.residency import residency
from inference.engine.loader import load
from inference.engine.model_runner import ModelRunner
from inference.engine.sequence import Sequence
from inference.request import SamplingParams

STEPS = 4  # of a round, the best of which counts
CONTEXT = 64
USABLE = 10**10  # bytes, so that the model is expanded as it is by default


def main(folder: Path, rounds: int) -> None:
    loaded = load(folder, WeightsOption.AUTO, USABLE)
    loop = StepLoop(ModelRunner(loaded.model, 0), max_running=1)
    prompt = list(range(100, 100 + CONTEXT // 2))
    answer = loop.add(Sequence("only", prompt, SamplingParams(temperature=0), max_tokens=10**6))
    loop.run_until(lambda: len(answer.output) >= 3)
    model = read_local_model(folder, "starter")
    memory = residency(model.weights, model.shape, Device.CPU, USABLE)
    assert memory.weight_bytes == loaded.weight_bytes
    for _ in range(rounds):
        step = min(seconds_of_a_step(loop) for _ in range(STEPS))
        machine = Machine("this one", USABLE, Device.CPU, measure_gbps())
        print(predict_decode_tps(model.shape, memory, CONTEXT, machine) * step)


def seconds_of_a_step(loop: StepLoop) -> float:
    started = time.process_time()
    loop.step()
    return time.process_time() - started


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
