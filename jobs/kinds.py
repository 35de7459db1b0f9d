"""Every kind of job, by the name it has in rows and on the wire.

A kind is a module with one function:

    def run(config: dict[str, Any], emit: Emitter) -> Outcome

It is imported in the job's own process only, so it may load MLX. It raises `JobError` for what
the user must read. When the job is cancelled, `Cancelled`, a KeyboardInterrupt, is raised in it,
and its `finally` blocks have three seconds to remove what is half done.
"""

from dataclasses import dataclass

from jobs.errors import UnknownKind


@dataclass(frozen=True, slots=True)
class Kind:
    """run: dotted name of the module. exclusive: needs the accelerator for itself.

    Exclusive jobs run one at a time, in the order of submission, while the server holds back
    generation. The others run beside them, a few at a time, and may ask the server for text at
    `settings.JOBS.server_url`.
    """

    run: str
    exclusive: bool


KINDS: dict[str, Kind] = {
    "finetune": Kind(run="jobs.finetune.run", exclusive=True),
    "quantize": Kind(run="jobs.quantize.run", exclusive=True),
    "dataset": Kind(run="jobs.dataset.run", exclusive=False),
}


def kind_of(name: str) -> Kind:
    """Return a kind by its name; raises UnknownKind."""
    try:
        return KINDS[name]
    except KeyError:
        raise UnknownKind(f"unknown kind of job {name!r}; there are {', '.join(KINDS)}") from None
