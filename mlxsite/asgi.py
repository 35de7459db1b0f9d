"""The whole application: lifecycle, guard, static files, then Django or a WebSocket."""

import os
from pathlib import Path

# Before anything of ours that reads settings.
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mlxsite.settings")

from django.core.asgi import get_asgi_application

# Django first: what follows reads settings and models.
django_application = get_asgi_application()

from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from django.conf import settings  # noqa: E402
from django.contrib.staticfiles.finders import AppDirectoriesFinder  # noqa: E402
from django.urls import path, re_path  # noqa: E402

from frontend.dist import DIST  # noqa: E402
from mlxsite.guard import Guard, GuardPolicy  # noqa: E402
from mlxsite.replies import POLICY_VIOLATION, Asgi, Receive, Scope, Send  # noqa: E402
from mlxsite.server.lifecycle import Drainable, Lifecycle  # noqa: E402
from mlxsite.static import ASSETS, StaticFiles  # noqa: E402
from sessions.agent.conversation import ChatConversation  # noqa: E402
from sessions.consumer import ChatConsumer  # noqa: E402


def build_application(*, policy: GuardPolicy, lifecycle: Lifecycle) -> Asgi:
    """Compose the layers, outermost last in this function and first in a request's life."""
    chat = ChatConsumer.as_asgi(open_conversation=ChatConversation)
    sockets = URLRouter([path("ws/chat", chat), re_path("", _unknown_socket)])  # type: ignore[arg-type]
    routes = ProtocolTypeRouter({"http": django_application, "websocket": sockets})
    folders = {"/static/": _static_folders(), ASSETS: [DIST / "assets"]}
    static = StaticFiles(routes, folders=folders)
    return Drainable(Guard(static, policy), lifecycle)


async def _unknown_socket(_scope: Scope, _receive: Receive, send: Send) -> None:
    # URLRouter raises for a path it does not know, which would log a traceback.
    await send({"type": "websocket.close", "code": POLICY_VIOLATION})


def _static_folders() -> list[Path]:
    storages = AppDirectoriesFinder().storages.values()
    return [Path(storage.path("")) for storage in storages]


# For servers other than our command: loopback rules, and nobody to begin a drain.
application = build_application(
    policy=GuardPolicy(
        allowed_hosts=tuple(settings.ALLOWED_HOSTS),
        trusted_origins=frozenset(settings.TRUSTED_ORIGINS),
        api_keys=settings.API_KEYS,
    ),
    lifecycle=Lifecycle(timeout=0),
)
