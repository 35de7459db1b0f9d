"""Building a dataset as a job: rows from a template, split, written and described.

`run` is the one entrance. It works in a process of its own.
"""

import time
from pathlib import Path
from typing import Any

from django.conf import settings

from jobs.config import JobsConfig
from jobs.dataset.card import write_card
from jobs.dataset.client import ServerClient
from jobs.dataset.errors import DatasetError
from jobs.dataset.order import Order
from jobs.dataset.places import new_folder, staged
from jobs.dataset.work import STAGE, Work
from jobs.dataset.writer import RowWriter
from jobs.emitter import Emitter
from jobs.outcome import Outcome


def run(config: dict[str, Any], emit: Emitter) -> Outcome:
    """Build what was ordered. Raises DatasetError; then nothing was left behind.

    config: the body of the request, and `output_dir`; a new folder if it is left out.
    """
    began = time.monotonic()
    order = Order.from_json(config)
    for name in order.unknown:
        emit.log(f"{name} means nothing here and was passed over")
    asked = config.get("output_dir")
    folder = Path(asked) if asked else new_folder(order.template.id)
    work = Work(emit, lambda: _connect(order, emit))
    with staged(folder) as stage:
        summary = _fill(stage, order, work, emit)
        summary["seconds"] = round(time.monotonic() - began, 3)
    n_train, n_valid = summary["n_train"], summary["n_valid"]
    emit.stage(
        "done",
        1.0,
        f"{n_train:,} rows to train on, {n_valid:,} to validate on",
        output_dir=str(folder),
        n_train=n_train,
        n_valid=n_valid,
    )
    return Outcome(str(folder), summary)


def _fill(stage: Path, order: Order, work: Work, emit: Emitter) -> dict[str, Any]:
    """Write all files of the dataset; return the summary."""
    template = order.template
    emit.stage(STAGE, 0.0, template.label)
    with RowWriter(stage) as writer:
        for row in template.build(order.inputs, work):
            writer.add(row)
        skipped = {what: count for what, count in work.skipped.items() if count}
        for what, count in skipped.items():
            emit.log(f"left out: {count:,} {what}")
        if not writer.count:
            raise DatasetError(_nothing(skipped, work))
        n_train, n_valid = writer.split()
    summary = {
        "template_id": template.id,
        "format": order.inputs.text("output_format") or str(template.output_format),
        "n_train": n_train,
        "n_valid": n_valid,
        "skipped": skipped,
        "calls": work.calls,
        "failed_calls": work.failed_calls,
        "model": order.model_name,
    }
    write_card(stage, order, summary)
    return summary


def _nothing(skipped: dict[str, int], work: Work) -> str:
    """Why there is no row, as far as is known."""
    reasons = [f"{count:,} {what}" for what, count in skipped.items()]
    if work.failed_calls:
        reasons.append(f"{work.failed_calls:,} of {work.calls:,} calls failed; the log tells why")
    return "no rows came of these inputs" + (f": {'; '.join(reasons)}" if reasons else "")


def _connect(order: Order, emit: Emitter) -> ServerClient:
    jobs: JobsConfig = settings.JOBS
    # From the process's environment, so that no row and no log ever holds a key.
    keys: tuple[str, ...] = settings.API_KEYS
    return ServerClient(
        jobs.server_url, key=keys[0] if keys else None, model=order.model_name, log=emit.log
    )
