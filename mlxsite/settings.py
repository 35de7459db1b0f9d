"""Django's settings, and the only file that reads the environment.

`Environment` holds what the operator may set before the start; everything below it
follows from that one object. Other code receives `HUB`, `API_KEYS` and so on, never
variable names. What a user changes while the server runs is a row, not a setting.
"""

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from hub.config import HUB_ENDPOINT, HubConfig
from hub.token import Tokens
from hub.tool_approvals import ToolApprovals
from inference import options
from jobs.config import JobsConfig
from memory.catalog import Catalog
from memory.config import VaultConfig
from memory.synthesis.config import SynthesisConfig
from memory.vault import Vault
from mlxsite import database, schedule, secret_key
from mlxsite.chat_conversations import ChatConversations
from sessions.mcp.servers import McpServers
from sessions.store.search import SessionSearch
from sessions.store.store import SessionStore
from sessions.tools.web_search import SearchConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """What the environment says, each field with its variable and default."""

    # MLXSITE_STATE_DIR: folder of what cannot be made again (database, keys); ~/.mlxsite
    state_dir: Path
    # MLXSITE_CACHE_DIR: folder of what can be made or fetched again; ~/.cache/mlxsite
    cache_dir: Path
    # MLXSITE_DATABASE_URL: a PostgreSQL database, in place of SQLite in the state folder; none
    database_url: str | None = field(repr=False)
    # HF_HUB_CACHE, else HF_HOME/hub: the Hugging Face cache; ~/.cache/huggingface/hub
    hf_cache_dir: Path
    # HF_ENDPOINT: where the Hugging Face Hub, or a mirror of it, answers; https://huggingface.co
    hf_endpoint: str
    # HF_TOKEN: what the Hub knows us by, before any token that is saved; none
    hf_token: str | None = field(repr=False)
    # HF_TOKEN_PATH, else HF_HOME/token: the file of `hf auth login`
    hf_token_file: Path
    # PI_CODING_AGENT_DIR: where the coding agent pi keeps its own; ~/.pi/agent
    pi_agent_dir: Path
    # MLXSITE_JOBS_DIR: folder of the jobs' logs; jobs in the cache folder
    jobs_dir: Path
    # MLXSITE_JOBS_DB: file of the queue of jobs; jobs.sqlite beside the database
    jobs_db: Path
    # MLXSITE_HUEY_URL: a Redis server to queue jobs in, instead of that file; none
    huey_url: str | None = field(repr=False)
    # MLXSITE_SERVER_URL: where jobs ask for text; told by the server to its own consumer
    server_url: str
    # MLXSITE_WORKSPACE: folder that the chat's file tools see; workspace in the state folder
    workspace: Path
    # MLXSITE_MEMORY_AT: time of day at which chats become articles, or off; 03:00
    memory_at: str
    # MLXSITE_MEMORY_BATCH: questions that synthesis asks the model at once; 1
    memory_batch: str
    # MLXSITE_WIKI: folder of the memory's Markdown files; wiki in the state folder
    wiki: Path
    # TAVILY_API_KEY, BRAVE_API_KEY: search engines for the chat, in place of one without a key
    tavily_key: str = field(repr=False)
    brave_key: str = field(repr=False)
    # MLXSITE_ALLOWED_HOSTS: comma list of further names clients may call us by; none
    allowed_hosts: tuple[str, ...]
    # MLXSITE_TRUSTED_ORIGINS: comma list of further web origins that may write; none
    trusted_origins: tuple[str, ...]
    # MLXSITE_API_KEYS: comma list; when set, every caller must send one of them; none
    api_keys: tuple[str, ...]
    # DISPLAY or WAYLAND_DISPLAY: whether windows can be opened (on Linux); false
    has_display: bool
    # MLXSITE_P2R_TRACE: 1 writes a record of each completion request to stderr; 0
    p2r_trace: str
    # variables of the server's options by full name, read as text; see inference.options
    serve: Mapping[str, str]
    # names that begin like ours and mean nothing, most likely misspelt; reported by a check
    unknown: tuple[str, ...]

    @classmethod
    def read(cls, environ: Mapping[str, str]) -> Self:
        """Take our part of `environ`; an empty variable counts as unset."""
        home = Path.home()
        own = {
            name: value
            for name, value in environ.items()
            if name.startswith(options.PREFIX) and value
        }
        serve = {option.environment for option in options.TABLE}

        def folder(name: str, default: Path) -> Path:
            return Path(environ.get(name) or default).expanduser().absolute()

        def words(name: str) -> tuple[str, ...]:
            return tuple(word for part in own.get(name, "").split(",") if (word := part.strip()))

        hf_home = folder("HF_HOME", home / ".cache" / "huggingface")
        state_dir = folder("MLXSITE_STATE_DIR", home / ".mlxsite")
        cache_dir = folder("MLXSITE_CACHE_DIR", home / ".cache" / "mlxsite")
        return cls(
            state_dir=state_dir,
            cache_dir=cache_dir,
            database_url=own.get("MLXSITE_DATABASE_URL"),
            hf_cache_dir=folder("HF_HUB_CACHE", hf_home / "hub"),
            hf_endpoint=(environ.get("HF_ENDPOINT") or HUB_ENDPOINT).rstrip("/"),
            hf_token=environ.get("HF_TOKEN") or None,
            hf_token_file=folder("HF_TOKEN_PATH", hf_home / "token"),
            pi_agent_dir=folder("PI_CODING_AGENT_DIR", home / ".pi" / "agent"),
            jobs_dir=folder("MLXSITE_JOBS_DIR", cache_dir / "jobs"),
            jobs_db=folder("MLXSITE_JOBS_DB", state_dir / "jobs.sqlite"),
            huey_url=own.get("MLXSITE_HUEY_URL"),
            server_url=own.get("MLXSITE_SERVER_URL", "http://127.0.0.1:8080").rstrip("/"),
            workspace=folder("MLXSITE_WORKSPACE", state_dir / "workspace"),
            memory_at=own.get("MLXSITE_MEMORY_AT", "03:00"),
            memory_batch=own.get("MLXSITE_MEMORY_BATCH", "1"),
            wiki=folder("MLXSITE_WIKI", state_dir / "wiki"),
            tavily_key=environ.get("TAVILY_API_KEY", ""),
            brave_key=environ.get("BRAVE_API_KEY", ""),
            allowed_hosts=words("MLXSITE_ALLOWED_HOSTS"),
            trusted_origins=words("MLXSITE_TRUSTED_ORIGINS"),
            api_keys=words("MLXSITE_API_KEYS"),
            has_display=bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY")),
            p2r_trace=own.get("MLXSITE_P2R_TRACE", "0"),
            serve={name: value for name, value in own.items() if name in serve},
            unknown=tuple(sorted(own.keys() - serve - OWN_VARIABLES)),
        )


OWN_VARIABLES = frozenset(
    {
        "MLXSITE_STATE_DIR",
        "MLXSITE_CACHE_DIR",
        "MLXSITE_DATABASE_URL",
        "MLXSITE_JOBS_DIR",
        "MLXSITE_JOBS_DB",
        "MLXSITE_HUEY_URL",
        "MLXSITE_SERVER_URL",
        "MLXSITE_WORKSPACE",
        "MLXSITE_MEMORY_AT",
        "MLXSITE_MEMORY_BATCH",
        "MLXSITE_WIKI",
        "MLXSITE_ALLOWED_HOSTS",
        "MLXSITE_TRUSTED_ORIGINS",
        "MLXSITE_API_KEYS",
        "MLXSITE_P2R_TRACE",
        # The tests' own: missing tools fail instead of skipping; where fetched models are kept;
        # a database to take in place of SQLite in memory.
        "MLXSITE_REQUIRE_ALL",
        "MLXSITE_TEST_CACHE",
        "MLXSITE_TEST_DATABASE_URL",
    }
)

ENVIRONMENT = Environment.read(os.environ)
STATE_DIR = ENVIRONMENT.state_dir
CACHE_DIR = ENVIRONMENT.cache_dir

# What our own code reads.
HUB = HubConfig(
    models_dir=CACHE_DIR / "models",
    hf_cache_dir=ENVIRONMENT.hf_cache_dir,
    endpoint=ENVIRONMENT.hf_endpoint,
)
HF_TOKENS = Tokens(
    saved=STATE_DIR / "hf.json",
    cli_file=ENVIRONMENT.hf_token_file,
    environment=ENVIRONMENT.hf_token,
)
JOBS = JobsConfig(
    directory=ENVIRONMENT.jobs_dir,
    queue_path=ENVIRONMENT.jobs_db,
    queue_url=ENVIRONMENT.huey_url,
    server_url=ENVIRONMENT.server_url,
    daily=schedule.daily(ENVIRONMENT.memory_at),
)
SESSION_STORE = SessionStore(STATE_DIR / "sessions")
SESSION_SEARCH = SessionSearch(SESSION_STORE)
TOOL_APPROVALS = ToolApprovals(STATE_DIR / "tool-approvals.json")
VAULT = Vault(VaultConfig(ENVIRONMENT.wiki, docs_root=Path(__file__).resolve().parents[1]))
CATALOG = Catalog(VAULT)
SYNTHESIS = SynthesisConfig(
    sources=(ChatConversations(SESSION_STORE),),
    batch=schedule.read_batch(ENVIRONMENT.memory_batch) or 1,
)
WORKSPACE = ENVIRONMENT.workspace
MCP_SERVERS = McpServers(STATE_DIR / "mcp.json")
WEB_SEARCH = SearchConfig(tavily_key=ENVIRONMENT.tavily_key, brave_key=ENVIRONMENT.brave_key)
PI_AGENT_DIR = ENVIRONMENT.pi_agent_dir
SERVE_ENVIRONMENT = ENVIRONMENT.serve
SERVE_DEFAULTS: dict[str, object] = {}  # options by name, for a settings module built on this one
SERVE_OPTIONS: options.ServeOptions | None = None  # in force; set by runserver_mlx
API_KEYS = ENVIRONMENT.api_keys
P2R_TRACE = ENVIRONMENT.p2r_trace == "1"  # mlxsite.checks refuses what is neither 1 nor 0
TRUSTED_ORIGINS = ENVIRONMENT.trusted_origins

# Who may call. Loopback names only, unless the operator adds some: the guard checks Host on
# every request, which is what stops a page that rebinds its own name to 127.0.0.1.
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]", *ENVIRONMENT.allowed_hosts]
DEBUG = False
try:
    SECRET_KEY = secret_key.load_or_create(STATE_DIR / "secret_key")
except OSError:
    # mlxsite.checks tells the operator why, better than a traceback from here would.
    SECRET_KEY = secrets.token_urlsafe(48)

INSTALLED_APPS = [
    "daphne",  # first: it installs Twisted's asyncio reactor
    "channels",
    "mlxsite.apps.SiteConfig",  # before the admin, whose templates it overrides
    "mlxsite.apps.AdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "ninja",  # for its copy of Swagger UI
    "frontend.apps.FrontendConfig",
    "sessions.apps.SessionsConfig",
    "memory.apps.MemoryConfig",
    "jobs.apps.JobsConfig",
    "inference.apps.InferenceConfig",
    "hub.apps.HubConfig",
]
# All pass API requests on without a thread; see mlxsite.middleware for why that matters.
MIDDLEWARE = [
    "mlxsite.errors.method_not_allowed",
    "mlxsite.middleware.HeadersMiddleware",
    "mlxsite.middleware.SessionMiddleware",
    "mlxsite.middleware.AuthenticationMiddleware",
    "mlxsite.middleware.MessageMiddleware",
]
ROOT_URLCONF = "mlxsite.urls"
ASGI_APPLICATION = "mlxsite.asgi.application"
APPEND_SLASH = False  # an API path with a slash too many is another path
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
# Cookies are for the admin pages. Browsers send those of one host to all its ports, so names and
# paths keep them apart from other programs of this machine.
SESSION_COOKIE_NAME, SESSION_COOKIE_PATH = "mlxsite_session", "/django-admin/"
CSRF_COOKIE_NAME, CSRF_COOKIE_PATH = "mlxsite_csrf", "/django-admin/"
CSRF_TRUSTED_ORIGINS = list(TRUSTED_ORIGINS)
DATA_UPLOAD_MAX_MEMORY_SIZE = 64 * 2**20  # bytes; Django's 2.5 MB is less than one image

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

DATABASE_PROBLEM = ""  # why MLXSITE_DATABASE_URL is of no use; mlxsite.checks tells the operator
DATABASES: dict[str, dict[str, Any]] = {"default": database.sqlite(STATE_DIR / "db.sqlite3")}
if ENVIRONMENT.database_url is not None:
    try:
        DATABASES["default"] = database.from_url(ENVIRONMENT.database_url)
    except database.BadDatabaseUrl as error:
        DATABASE_PROBLEM = str(error)
        DATABASES["default"] = database.unusable()
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

STATIC_URL = "/static/"
USE_TZ = True
TIME_ZONE = "UTC"
USE_I18N = False
FORMAT_MODULE_PATH = "mlxsite.formats"

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "{asctime} {levelname:<7} {name}: {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        # Django's own handler would print every warning a second time.
        "django": {"handlers": [], "level": "WARNING", "propagate": True},
        # A 404 on an API is the client's affair.
        "django.request": {"level": "ERROR"},
    },
}
