"""A run from its first update to the adapter: reports, validation, checkpoints, and every end."""

import time
from math import isfinite

import mlx.core as mx

from jobs.emitter import Emitter
from jobs.finetune.adapters.folder import Adapter, write_adapter, write_json
from jobs.finetune.plot import draw_losses
from jobs.finetune.training.checkpoint import Checkpoint, drop_states, write_checkpoint
from jobs.finetune.training.evaluation import evaluate
from jobs.finetune.training.factors import to_adapter
from jobs.finetune.training.history import Point, Window
from jobs.finetune.training.setup import Setup
from jobs.finetune.training.trainer import Diverged, Update
from jobs.outcome import Outcome

PLOT, RECORD = "loss.svg", "training.json"
CHECKPOINT_EVERY = 100  # iterations, where no validation says when
# The record goes wherever the adapter does, and paths are this machine's affair.
_PATHS = frozenset({"model_dir", "data_dir", "adapter_path", "warm_start_adapter", "plot"})
_STARTED, _TRAINED = 0.15, 0.97  # shares of the progress


class Session:
    """One run. Thread: the one that set it up."""

    def __init__(self, setup: Setup, emit: Emitter) -> None:
        self._setup = setup
        self._emit = emit
        self._config = setup.config
        self._trainer = setup.trainer
        self._history = setup.history
        self._first = setup.trainer.state.iteration
        self._started = time.monotonic()

    def run(self) -> Outcome:
        """Train to the end and write the adapter.

        Whatever ends it earlier, what was learned is kept, and the exception goes on. Raises
        Diverged, for instance.
        """
        try:
            self._train()
        except BaseException as error:
            self._keep(error)
            raise
        self._emit.stage("save", _TRAINED, "Writing the adapter")
        summary = self._write()
        drop_states(self._setup.folder)
        return Outcome(output_dir=str(self._setup.folder), summary=summary)

    def _train(self) -> None:
        total = self._trainer.iterations
        if self._first == 0:
            self._validate(0)
        for update in self._trainer.updates():
            self._history.window.add(update)
            last = update.iteration == total
            if last or self._is_due(update, self._config.steps_per_report):
                self._report(update)
            if last or self._is_due(update, self._config.steps_per_eval):
                self._validate(update.iteration)
            if not last and self._is_due(update, self._config.steps_per_eval or CHECKPOINT_EVERY):
                self._write_checkpoint()

    def _is_due(self, update: Update, every: int) -> bool:
        """Whether a multiple of `every` is among the update's iterations."""
        return bool(every) and update.iteration % every < self._config.grad_accumulation_steps

    def _report(self, update: Update) -> None:
        window, self._history.window = self._history.window, Window()
        loss = window.loss / window.count
        self._history.points.append(Point("train", update.iteration, loss))
        total = self._trainer.iterations
        self._emit.metric(
            "train",
            update.iteration,
            loss,
            grad_norm=update.grad_norm,
            learning_rate=update.learning_rate,
            tokens_per_sec=window.tokens / window.seconds,
            peak_memory_gb=mx.get_peak_memory() / 1e9,
            **window.means(),
            progress=_STARTED + (_TRAINED - _STARTED) * update.iteration / total,
            message=f"Iteration {update.iteration:,}/{total:,}, loss {loss:.4g}",
        )
        mx.clear_cache()

    def _validate(self, iteration: int) -> None:
        valid = self._setup.task.valid
        if valid is None or not self._config.steps_per_eval:
            return
        means = evaluate(self._trainer.model, valid, self._config.batch_size)
        self._history.points.append(Point("val", iteration, means.loss))
        self._emit.metric("val", iteration, means.loss, **means.figures)

    def _keep(self, error: BaseException) -> None:
        """Write what was learned in this process, if anything was."""
        iteration = self._trainer.state.iteration
        if iteration == self._first:
            return
        self._write()  # first: it is what was asked for, and less
        self._write_checkpoint()
        kept = f"the adapter as iteration {iteration:,} left it is in {self._setup.folder}"
        if isinstance(error, Diverged):
            remedy = "lower learning_rate, or look for odd rows in the data"
            raise Diverged(f"{error}; {kept}; {remedy}") from error
        self._emit.log(kept)

    def _write_checkpoint(self) -> None:
        """Write a checkpoint, if they are wanted. That it cannot be written ends no run."""
        if not self._config.save_checkpoints:
            return
        state = self._trainer.state
        checkpoint = Checkpoint(state, self._history, self._setup.asked)
        try:
            write_checkpoint(self._setup.folder, checkpoint, self._adapter())
        except Exception as error:  # noqa: BLE001 - what libraries raise on a full disk differs
            self._emit.log(
                f"the checkpoint of iteration {state.iteration:,} was not written ({error}): "
                "free some space"
            )

    def _write(self) -> dict[str, object]:
        """Write the adapter, a plot and a record; returns the summary in it, with paths."""
        folder = self._setup.folder
        folder.mkdir(parents=True, exist_ok=True)
        history = self._history
        title = f"{self._setup.base_model.rpartition('/')[2]}, {self._config.method}"
        plot = draw_losses(history.series("train"), history.series("val"), title)
        (folder / PLOT).write_text(plot, encoding="utf-8")
        measured = {
            kind: [
                {"step": step, "loss": loss if isfinite(loss) else None} for step, loss in series
            ]
            for kind in ("train", "val")
            if (series := history.series(kind))
        }
        summary = self._summary()
        asked, told = (
            {name: value for name, value in facts.items() if name not in _PATHS}
            for facts in (self._config.to_json(), summary)
        )
        write_json(folder / RECORD, {"asked": asked, "summary": told, **measured})
        write_adapter(folder, self._adapter())
        return summary

    def _adapter(self) -> Adapter:
        more = {"method": str(self._config.method)}
        weights = self._trainer.state.weights
        return to_adapter(self._setup.layers, weights, self._setup.base_model, more)

    def _summary(self) -> dict[str, object]:
        train, val = ([loss for _, loss in self._history.series(k)] for k in ("train", "val"))
        return {
            "method": str(self._config.method),
            "base_model": self._setup.base_model,
            "iterations": self._trainer.state.iteration,
            "rows": len(self._setup.task.train.lengths),
            "train_loss": train[-1] if train else None,
            "val_loss": val[-1] if val else None,
            "first_val_loss": val[0] if val else None,
            "seconds": round(time.monotonic() - self._started, 1),
            "peak_memory_gb": round(mx.get_peak_memory() / 1e9, 3),
            "plot": str(self._setup.folder / PLOT),
        }
