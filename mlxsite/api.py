"""The Ninja APIs: which routers they hold, and who words their errors."""

from django.core.exceptions import RequestDataTooBig
from ninja import NinjaAPI

from hub.api import answers as hub_answers
from hub.api import downloads as hub_downloads
from hub.api import gc as hub_gc
from hub.api import library as hub_library
from hub.api import settings as hub_settings
from hub.errors import HubError
from inference.api import adapters, admin, discovery, fit, library, metrics, serving
from inference.api.anthropic import errors as anthropic_errors
from inference.api.anthropic import routes as anthropic_routes
from inference.api.curve import routes as curve_routes
from inference.api.openai import embeddings_routes
from inference.api.openai import errors as openai_errors
from inference.api.openai import routes as openai_routes
from inference.api.responses import errors as responses_errors
from inference.api.responses import routes as responses_routes
from inference.errors import InferenceError
from jobs.api import answers as jobs_answers
from jobs.api import dataset as jobs_dataset
from jobs.api import finetune as jobs_finetune
from jobs.api import push as jobs_push
from jobs.api import quantize as jobs_quantize
from jobs.api import routes as jobs_routes
from jobs.errors import JobError
from memory.api import answers as memory_answers
from memory.api import routes as memory_routes
from memory.api import schedule as memory_schedule
from memory.api import synthesize as memory_synthesize
from memory.errors import VaultError
from mlxsite import sign_in
from sessions.api import answers as sessions_answers
from sessions.api import routes as sessions_routes
from sessions.api import settings as sessions_settings
from sessions.errors import SessionError

# No schema pages of their own: mlxsite/openapi.py makes one document of all.
openai = NinjaAPI(title="mlxsite", urls_namespace="openai", docs_url=None, openapi_url=None)
openai.add_router("", openai_routes.router)
openai.add_router("", embeddings_routes.router)
openai.add_router("", adapters.router)
openai.add_router("", curve_routes.router)
openai.add_router("", discovery.router)
openai.add_router("", fit.router)
openai.add_router("", library.router)
openai.add_router("", metrics.router)
openai.add_router("", admin.router)
openai.exception_handler(InferenceError)(openai_errors.inference_error)
openai.exception_handler(HubError)(openai_errors.hub_error)
openai.exception_handler(RequestDataTooBig)(openai_errors.body_too_big)
openai.exception_handler(Exception)(openai_errors.unexpected_error)

anthropic = NinjaAPI(title="mlxsite", urls_namespace="anthropic", docs_url=None, openapi_url=None)
anthropic.add_router("", anthropic_routes.router)
anthropic.exception_handler(InferenceError)(anthropic_errors.inference_error)
anthropic.exception_handler(RequestDataTooBig)(anthropic_errors.body_too_big)
anthropic.exception_handler(Exception)(anthropic_errors.unexpected_error)

responses = NinjaAPI(title="mlxsite", urls_namespace="responses", docs_url=None, openapi_url=None)
responses.add_router("", responses_routes.router)
responses.exception_handler(InferenceError)(responses_errors.inference_error)
responses.exception_handler(responses_errors.NotStored)(responses_errors.not_stored)
responses.exception_handler(RequestDataTooBig)(responses_errors.body_too_big)
responses.exception_handler(Exception)(responses_errors.unexpected_error)

# Our own pages' routes, which answer `{"ok": …}`.
internal = NinjaAPI(title="mlxsite", urls_namespace="internal", docs_url=None, openapi_url=None)
internal.add_router("", hub_downloads.router)
internal.add_router("", serving.router)
internal.add_router("", hub_library.router)
internal.add_router("", hub_gc.router)
internal.add_router("", hub_settings.router)
internal.add_router("", jobs_routes.router)
internal.add_router("", jobs_quantize.router)
internal.add_router("", jobs_push.router)
internal.add_router("", jobs_finetune.router)
internal.add_router("", jobs_dataset.router)
internal.add_router("", sessions_routes.router)
internal.add_router("", sessions_settings.router)
internal.add_router("", memory_routes.router)
internal.add_router("", memory_schedule.router)
internal.add_router("", memory_synthesize.router)
internal.add_router("", sign_in.router)
internal.exception_handler(HubError)(hub_answers.hub_error)
internal.exception_handler(JobError)(jobs_answers.job_error)
internal.exception_handler(SessionError)(sessions_answers.session_error)
internal.exception_handler(VaultError)(memory_answers.vault_error)
internal.exception_handler(RequestDataTooBig)(hub_answers.body_too_big)
internal.exception_handler(Exception)(hub_answers.unexpected_error)
