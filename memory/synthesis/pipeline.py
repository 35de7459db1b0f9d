"""The stages, in their order."""

import logging
from collections.abc import Callable, Iterable

from memory.errors import NotWritten
from memory.synthesis import events
from memory.synthesis.changes import recover
from memory.synthesis.conversations import Source
from memory.synthesis.run import Run
from memory.synthesis.stages import (
    create,
    extract,
    ingest,
    link,
    patch,
    route,
    section_route,
    segment,
    wikify,
)

logger = logging.getLogger(__name__)

Sources = Iterable[Source]
_STAGES: dict[str, Callable[[Run], None]] = {
    "segment": segment.segment,
    "extract": extract.extract,
    "route": route.route,
    "create": create.create,
    "section-route": section_route.route_sections,
    "patch": patch.patch,
    "link": link.link,
    "wikify": wikify.wikify,
}
_PLANS: dict[str, Callable[[], str]] = {
    "segment": segment.plan,
    "extract": extract.plan,
    "route": route.plan,
    "create": create.plan,
    "section-route": section_route.plan,
    "patch": patch.plan,
    "link": link.plan,
    "wikify": wikify.plan,
}


def synthesize(run: Run, sources: Sources) -> None:
    """Run all stages, from wherever an earlier run ended. Raises SynthesisError."""
    recover(run)
    _begin(run)
    ingest.ingest(run, sources)
    for stage in _STAGES.values():
        stage(run)
    note = f"{events.count(run.changes, 'change')} to the vault"
    if run.problems:
        note += f"; given up: {events.count(run.problems, 'draft')}"
    run.tell(events.done(note))
    run.tell(events.summary(note))


def _begin(run: Run) -> None:
    """Tell what the user should know of the vault, and bring pages of policy up to date."""
    why = run.pages.why_no_history()
    if why is not None:
        run.log(f"changes are written, and not committed: {why}")
        logger.warning("synthesis writes without committing: %s", why)  # at night nobody reads on
    try:
        for path in run.pages.renew_policy():
            run.log(f"{path}: brought up to date, since nobody has edited it")
    except NotWritten as error:  # the model is told what the earlier version says
        run.log(f"pages of policy are not brought up to date: {error}")


def plan(tell: events.Tell, sources: Sources) -> None:
    """Tell what each stage would begin with. Nothing is asked and nothing is written."""
    tell(events.stage("ingest", ingest.plan(sources)))
    for name, told in _PLANS.items():
        tell(events.stage(name, told()))
    note = "dry run: nothing was asked and nothing was written"
    tell(events.done(note))
    tell(events.summary(note))
