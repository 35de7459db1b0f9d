"""`manage.py finetune`: train adapters, look at data, merge and convert adapters."""

import signal
import time
from argparse import ArgumentParser, BooleanOptionalAction
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from inference.runtime import prepare_backend
from jobs.emitter import Emitter
from jobs.errors import JobError
from jobs.finetune import places
from jobs.finetune.config import FinetuneConfig, read_config
from jobs.finetune.data.inspect import inspect
from jobs.finetune.fields import Flag, Kind, Real, Whole, Word
from jobs.finetune.terminal import Terminal
from jobs.folders import folder_of
from jobs.submit import submit

OPTIONS = [each for each in fields(FinetuneConfig) if each.default is not MISSING]


class Command(BaseCommand):
    help = "Train an adapter for a model of this machine (LoRA: sft, dpo, orpo)."
    requires_system_checks: list[str] = []  # noqa: RUF012  (as BaseCommand declares it)

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
        add_training(actions.add_parser("run", help="train here and now"))
        add_training(actions.add_parser("submit", help="queue a job, which the server runs"))
        looking = actions.add_parser("inspect", help="tell what a folder of training data holds")
        looking.add_argument("data", metavar="DATA", help="folder of train.jsonl")
        merging = actions.add_parser("merge", help="fold two adapters into one")
        merging.add_argument("adapters", nargs=2, metavar="ADAPTER", help="folder of an adapter")
        merging.add_argument("--scales", nargs=2, type=float, help="in place of those of training")
        merging.add_argument("--output", metavar="FOLDER", help="default: a new one in the cache")
        exporting = actions.add_parser(
            "export", help="write a manifest, or an adapter in another format"
        )
        exporting.add_argument("adapter", metavar="ADAPTER", help="folder of an adapter")
        exporting.add_argument(
            "--base-model", help="what to record; default: what the adapter does"
        )
        exporting.add_argument("--method", help="how it was trained, for the manifest")
        forms = exporting.add_mutually_exclusive_group()
        forms.add_argument("--peft", metavar="FOLDER", help="write it there as PEFT reads it")
        forms.add_argument(
            "--mlx", metavar="FOLDER", help="write an adapter of PEFT's there as mlx-lm reads it"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        actions = {
            "run": self._run,
            "submit": self._submit,
            "inspect": self._inspect,
            "merge": self._merge,
            "export": self._export,
        }
        try:
            actions[options["action"]](options)
        except JobError as error:
            raise CommandError(str(error)) from error

    def _run(self, options: dict[str, Any]) -> None:
        request = self._request(options)
        config = read_config(request)
        # Before the next import: it loads MLX, which takes the BLAS that is there by then.
        prepare_backend()
        from jobs.finetune.run import run  # noqa: PLC0415

        for number in (signal.SIGTERM, signal.SIGINT):  # a shell's background ignores the latter
            signal.signal(number, signal.default_int_handler)
        folder = request["adapter_path"]
        started = time.monotonic()
        try:
            with Terminal(config.updates * config.grad_accumulation_steps) as terminal:
                outcome = run(request, Emitter(terminal))
        except KeyboardInterrupt:
            kept = f"what was learned is kept, and the same with --output {folder} goes on"
            told = kept if Path(folder).exists() else "nothing was learned yet"
            raise CommandError(f"stopped; {told}") from None
        summary = outcome.summary
        self.stdout.write(
            f"Loss {summary['train_loss']:.4g} after {time.monotonic() - started:.0f} s"
        )
        self.stdout.write(f"Adapter: {folder}")
        self.stdout.write(f"Plot: {summary['plot']}")

    def _submit(self, options: dict[str, Any]) -> None:
        request = self._request(options)
        job = submit("finetune", request, output_path=request["adapter_path"])
        self.stdout.write(f"{job.pk} is queued; 'manage.py jobs follow {job.pk}' shows it")
        self.stdout.write(f"Adapter: {request['adapter_path']}")

    def _inspect(self, options: dict[str, Any]) -> None:
        found = inspect(folder_of(options["data"]))
        if found.problem:
            raise JobError(found.problem)
        self.stdout.write(f"{found.n_train:,} rows to train on, {found.n_valid:,} to validate on")
        self.stdout.write(f"Format: {found.format}")

    def _merge(self, options: dict[str, Any]) -> None:
        from jobs.finetune.adapters.merge import merge_folders  # noqa: PLC0415 - loads numpy

        a, b = (folder_of(adapter) for adapter in options["adapters"])
        if options["output"]:
            target = self._new_folder(options["output"])
            stats = merge_folders((a, b), target, options["scales"])
        else:
            with places.new_merge() as target:
                stats = merge_folders((a, b), target, options["scales"])
        self.stdout.write(
            f"{stats.layers_merged} layers of both and {stats.layers_only_in_one} of one, "
            f"scaled by {stats.scales[0]:g} and {stats.scales[1]:g}"
        )
        self.stdout.write(f"Adapter: {target}")

    def _export(self, options: dict[str, Any]) -> None:
        from jobs.finetune.adapters import manifest, peft  # noqa: PLC0415 - load numpy

        adapter, base = folder_of(options["adapter"]), options["base_model"]
        if options["peft"]:
            target = self._new_folder(options["peft"])
            peft.export_to_peft(adapter, target, base)
        elif options["mlx"]:
            target = self._new_folder(options["mlx"])
            peft.import_from_peft(adapter, target)
        elif base:
            with places.new_export() as target:
                manifest.export_manifest(
                    target, base_model=base, adapter_path=adapter, method=options["method"]
                )
        else:
            raise JobError("a manifest names the model: give --base-model, or --peft FOLDER")
        self.stdout.write(f"Written: {target}")

    def _request(self, options: dict[str, Any]) -> dict[str, Any]:
        """What the route takes, of what was typed."""
        folder = options["output"]
        request = {each.name: options[each.name] for each in OPTIONS}
        model = folder_of(options["model"])
        request = {
            # A job runs in another folder than this command.
            "model_dir": str(model) if model.is_dir() else options["model"],
            "data_dir": str(folder_of(options["data"])),
            **{name: value for name, value in request.items() if value is not None},
        }
        read_config({**request, "adapter_path": folder or "new"})
        where = folder_of(folder) if folder else places.new_adapter()
        return {**request, "adapter_path": str(where)}

    def _new_folder(self, text: str) -> Path:
        folder = folder_of(text)
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise JobError(f"{folder} is there already; name a new folder")
        return folder


def add_training(parser: ArgumentParser) -> None:
    """Add the options of a run: an option for each field of the configuration."""
    parser.add_argument("model", metavar="MODEL", help="a repo id, a part of one, or a folder")
    parser.add_argument("data", metavar="DATA", help="folder of train.jsonl, maybe valid.jsonl")
    parser.add_argument(
        "--output", metavar="FOLDER", help="of the adapter; default: a new one in the cache"
    )
    for each in OPTIONS:
        _add_option(parser, each)


def _add_option(parser: ArgumentParser, each: "Field[Any]") -> None:
    kind: Kind = each.metadata["kind"]
    default = ",".join(each.default) if isinstance(each.default, tuple) else each.default
    told = "" if default is None else f" (default: {default})"
    about = f"{each.metadata['about']}{told}"
    if isinstance(kind, Whole) and kind.besides:
        about += f"; {kind.besides}"
    name = f"--{each.name.replace('_', '-')}"
    if isinstance(kind, Flag):
        parser.add_argument(name, action=BooleanOptionalAction, default=None, help=about)
    elif isinstance(kind, Word):
        parser.add_argument(name, choices=list(kind.words), help=about)
    else:
        types = {Whole: int, Real: float}
        parser.add_argument(name, type=types.get(type(kind), str), metavar="…", help=about)
