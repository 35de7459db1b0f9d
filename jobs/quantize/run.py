"""The job: look at a model, decide widths, write it packed, and judge the result.

`run` is the one entrance. It works in a process of its own, on one thread.
"""

import time
from pathlib import Path
from typing import Any

from django.conf import settings
from mlx_lm.utils import load_tokenizer

from hub import in_use, library
from hub.config import HubConfig
from hub.downloads.disk_space import require_room
from hub.errors import HubError
from hub.local_model import LocalModel
from jobs.emitter import Emitter
from jobs.outcome import Outcome
from jobs.quantize.calibration import Rows, make_rows
from jobs.quantize.card import write_card
from jobs.quantize.config import QuantizeConfig
from jobs.quantize.errors import QuantizeError
from jobs.quantize.measures import Comparison, Open, compare, scratch_bytes
from jobs.quantize.naming import Destination, destination
from jobs.quantize.plan import Plan
from jobs.quantize.progress import Progress
from jobs.quantize.publish import Stage, staged
from jobs.quantize.source import find_source, require_quantizable
from jobs.quantize.subject import Subject, open_folder, study
from jobs.quantize.summary import PLAIN, RESULT, SOURCE, summarize, warnings_of
from jobs.quantize.widths import budget_bytes, decide
from jobs.quantize.write import write_model

SIDE_FILES_BYTES = 64 * 2**20  # tokenizer, template and card, generously


def run(config: dict[str, Any], emit: Emitter) -> Outcome:
    """Quantize a model of this machine. Raises QuantizeError; then nothing was left behind."""
    request = QuantizeConfig.from_json(config)
    hub: HubConfig = settings.HUB
    try:
        source = find_source(hub, request.model_id)
        require_quantizable(source)
        place = destination(hub, source.repo_id, request)
        job = _Quantization(request, hub, source, place, emit)
        with staged(place) as stage, in_use.marked(*job.reads):
            summary = job.run(stage)
        library.announce(hub)
    except HubError as error:
        raise QuantizeError(str(error)) from error
    except OSError as error:
        raise QuantizeError(
            f"the model cannot be written ({error.strerror}): free some space, or set "
            "HF_HUB_CACHE to a folder on another disk"
        ) from error
    return Outcome(str(place.folder), summary)


class _Quantization:
    """One run, from what is known of the source to a stage that can be shown."""

    def __init__(
        self,
        request: QuantizeConfig,
        hub: HubConfig,
        source: LocalModel,
        place: Destination,
        emit: Emitter,
    ) -> None:
        self._request, self._source, self._place, self._emit = request, source, place, emit
        self._hub = hub
        self._reference = source
        if request.reference:
            self._reference = find_source(hub, request.reference)
            require_quantizable(self._reference)
        self._judges_source = self._reference.path != source.path
        sweeps = [("sensitivity", 5.0)] if request.is_mixed else []
        if request.is_mixed and request.rotate_weights:
            sweeps.append(("sensitivity without rotation", 5.0))
        models = 2 + request.rotate_weights + self._judges_source
        self._progress = Progress(
            emit, [("reading", 0.1), *sweeps, ("writing", 1.5), ("measuring", models * 1.0)]
        )

    @property
    def reads(self) -> tuple[Path, Path]:
        """The folders that it needs to its end; often one twice."""
        return self._source.path, self._reference.path

    def run(self, stage: Stage) -> dict[str, Any]:
        """Fill the stage's folder, and return the summary."""
        began = time.monotonic()
        request = self._request
        self._progress.begin("reading", f"Looking at {self._source.repo_id}")
        subject = study(self._source.path, request, rotated=request.rotate_weights)
        plain = study(self._source.path, request, rotated=False) if request.rotate_weights else None
        rows = self._rows()
        warnings = warnings_of(self._source, subject, request)
        for warning in warnings:
            self._emit.log(f"warning: {warning}")
        self._require_room(subject, rows)
        plan = self._decide(subject, rows, "sensitivity")
        plain_plan = self._decide(plain, rows, "sensitivity without rotation") if plain else None
        self._progress.begin("writing", f"Writing {self._place.repo_id}")
        size = write_model(subject, plan, request.group_size, stage.folder, self._progress.tell)
        compared = self._compare(stage, rows, plain, plain_plan)
        summary = summarize(
            self._place.repo_id,
            request,
            subject,
            plan,
            compared,
            reference=self._reference.repo_id,
            size_bytes=size,
            warnings=warnings,
            seconds=time.monotonic() - began,
        )
        write_card(stage.folder, self._source.path, self._source.repo_id, request, summary)
        return summary

    def _rows(self) -> Rows:
        try:
            # Code that a tokenizer brings along is never run.
            tokenizer = load_tokenizer(self._source.path, {"trust_remote_code": False})
        except Exception as error:  # transformers raises what it likes
            raise QuantizeError(f"the model's tokenizer cannot be loaded: {error}") from error
        rows = make_rows(tokenizer, self._request.calibration_mix, self._request.n_calibration)
        if len(rows.calibration) < self._request.n_calibration:
            self._emit.log(
                f"the calibration text has {len(rows.calibration)} rows of "
                f"{self._request.n_calibration}; all of them are used"
            )
        return rows

    def _require_room(self, subject: Subject, rows: Rows) -> None:
        request, survey = self._request, subject.survey
        if request.target_bpw is None:
            size = survey.size_bytes(survey.uniform(request.bits))
        else:
            budget = budget_bytes(subject, request.target_bpw, request.candidate_bits)
            size = budget + survey.other_bytes
        needed = size + SIDE_FILES_BYTES + scratch_bytes(rows.held_out, subject.vocabulary)
        require_room(self._hub.hf_cache_dir, needed, f"writing {self._place.repo_id}")

    def _decide(self, subject: Subject, rows: Rows, stage: str) -> Plan:
        if self._request.is_mixed:
            self._progress.begin(stage, "Measuring how much each module needs its bits")
        return decide(subject, self._request, rows.calibration, self._progress.tell)

    def _compare(
        self, stage: Stage, rows: Rows, plain: Subject | None, plain_plan: Plan | None
    ) -> Comparison:
        """Judge what was written, and beside it what a reader will want to compare it with."""
        candidates: dict[str, Open] = {RESULT: lambda: open_folder(stage.folder)}
        if plain and plain_plan:
            candidates[PLAIN] = lambda: plain.open_rounded(plain_plan)
        if self._judges_source:
            candidates[SOURCE] = lambda: open_folder(self._source.path)
        self._progress.begin("measuring", "Comparing the result with the model it was made of")
        return compare(
            lambda: open_folder(self._reference.path),
            candidates,
            rows.held_out,
            stage.scratch,
            self._progress.tell,
        )
