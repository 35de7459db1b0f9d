"""`manage.py runserver_mlx`: load a model and serve it until told to stop."""

import shutil
import sys
import threading
import webbrowser
from importlib.metadata import version
from typing import Any, Final

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from hub.downloads import runtime as downloads
from hub.errors import HubError
from hub.machine import this_machine
from inference import runtime, ssd_cache
from inference.errors import InferenceError
from inference.options import OptionError, ServeOptions, add_arguments, resolve
from memory.synthesis import current as synthesis
from mlxsite.asgi import build_application
from mlxsite.guard import GuardPolicy
from mlxsite.server import address, banner, daphne_server, exposure, port_probe
from mlxsite.server.job_consumer import JobConsumer
from mlxsite.server.lifecycle import Lifecycle
from mlxsite.server_facts import database_name

# Answers may use up all the time that a shutdown has; prompts are written all the same.
FLUSH_SECONDS: Final = 10.0


class Command(BaseCommand):
    help = "Load a model and serve it over OpenAI's protocol on this computer."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        usage = f"{prog_name} {subcommand} [MODEL] [options]"
        return super().create_parser(
            prog_name, subcommand, allow_abbrev=False, usage=usage, **kwargs
        )

    def add_arguments(self, parser: CommandParser) -> None:
        add_arguments(parser)

    def handle(self, *args: Any, **arguments: Any) -> None:
        try:
            options = resolve(
                arguments=arguments,
                environment=settings.SERVE_ENVIRONMENT,
                settings=settings.SERVE_DEFAULTS,
            )
            for warning in ssd_cache.check(options):
                self.stderr.write(f"warning: {warning}")
            policy = exposure.policy_for(
                options.host,
                allowed_hosts=settings.ALLOWED_HOSTS,
                trusted_origins=settings.TRUSTED_ORIGINS,
                api_keys=settings.API_KEYS,
            )
            port_probe.require_free(options.host, options.port)
            self._migrate()
            self._serve(options, policy)
        except (
            OptionError,
            exposure.ExposureRefused,
            port_probe.PortUnavailable,
            daphne_server.ListenError,
            InferenceError,
            HubError,
        ) as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError("stopped before the server was ready") from None

    def _migrate(self) -> None:
        """Bring our own database up to date, so that an upgrade needs no further step."""
        try:
            call_command("migrate", interactive=False, verbosity=0)
        except DatabaseError as error:
            raise CommandError(f"the database failed ({database_name()}): {error}") from error

    def _serve(self, options: ServeOptions, policy: GuardPolicy) -> None:
        # The guard has checked Host before Django sees it; Django shall not disagree.
        settings.ALLOWED_HOSTS = ["*"] if policy.any_address else list(policy.allowed_hosts)
        settings.SERVE_OPTIONS = options
        jobs = None if options.no_jobs else _make_consumer(options)

        def on_drain(active: int) -> None:
            self._say(_farewell(active))
            synthesis.stop_all()
            runtime.begin_stop()
            if jobs is not None:
                jobs.begin_stop()  # requests that wait for a job to end can then finish

        lifecycle = Lifecycle(timeout=options.shutdown_timeout_ms / 1000, on_drain=on_drain)
        self._say("Loading the model …")
        service = runtime.start(options, settings.HUB)
        if not options.scripted:
            this_machine(settings.HUB, wait=True)  # its bandwidth is best measured before requests

        def announce() -> None:
            self._say(_banner(options, service.describe()))
            if not options.no_open and _is_desktop():
                url = address.base_url(options.host, options.port)
                # Some browsers keep their launcher waiting.
                threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()

        try:
            if jobs is not None:
                jobs.start()
            daphne_server.serve(
                build_application(policy=policy, lifecycle=lifecycle),
                host=options.host,
                port=options.port,
                lifecycle=lifecycle,
                on_ready=announce,
            )
        finally:
            if jobs is not None:
                jobs.stop()
            downloads.stop()
            runtime.stop(flush_seconds=max(lifecycle.seconds_left, FLUSH_SECONDS))

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()  # whoever reads through a pipe waits for these lines


def _make_consumer(options: ServeOptions) -> JobConsumer:
    url = address.base_url(options.host, options.port)
    return JobConsumer(server_url=url, hold=runtime.hold)


def _banner(options: ServeOptions, facts: list[tuple[str, str]]) -> str:
    url = address.base_url(options.host, options.port)
    reach = [("Page", url), ("Base URL", f"{url}/v1")]
    if not address.is_loopback(options.host):
        where = "every interface" if address.is_wildcard(options.host) else options.host
        reach.append(("Open to", f"other machines on {where}, with an API key"))
    return banner.render(
        f"mlxsite {version('mlxsite')}",
        [*facts, *reach],
        closing="Ctrl-C stops the server.",
        width=shutil.get_terminal_size().columns if sys.stdout.isatty() else None,
    )


def _farewell(active: int) -> str:
    if active == 0:
        return "Stopping."
    answers = "1 answer" if active == 1 else f"{active} answers"
    return f"Finishing {answers}; Ctrl-C again stops at once."


def _is_desktop() -> bool:
    """Whether a person sits at this terminal with a browser at hand."""
    has_screen = sys.platform == "darwin" or settings.ENVIRONMENT.has_display
    return has_screen and sys.stdin.isatty() and sys.stdout.isatty()
