"""`manage.py synthesize`: in a server's hands, or with a model of its own."""

import httpx2
import pytest
from django.core.management import CommandError, call_command

from inference import runtime
from inference.engine.scripted import ScriptedRunner
from inference.text.byte_tokenizer import END_OF_TURN
from memory.synthesis import remote
from memory.synthesis.config import SynthesisConfig

STREAM = """\
data: {"type":"stage","stage":"ingest","message":"Reading conversations"}

: keep-alive

data: {"type":"log","message":"1 conversation was read"}

data: {"type":"done","message":"synthesis done — 1 change"}

data: [DONE]
"""


@pytest.fixture
def wiki(memory, settings):
    memory.chats.tell("one", "Atlas runs on MySQL", "Noted.", day=1)
    memory.chats.tell("two", "Atlas serves maps", "I see.", day=2)
    memory.rules.names = ["Atlas"]
    settings.VAULT = memory.vault
    settings.SYNTHESIS = SynthesisConfig(sources=(memory.chats,))
    return memory


@pytest.fixture
def serve(monkeypatch):
    """Call with a function for a request's answer; nobody answers until then."""

    def install(answer):
        def stream(method, url, *, headers, **options):
            client = httpx2.Client(transport=httpx2.MockTransport(answer))
            return client.stream(method, url, headers=headers)

        monkeypatch.setattr(remote.httpx2, "stream", stream)

    def refuse(request):
        raise httpx2.ConnectError("nobody")

    install(refuse)
    return install


@pytest.fixture
def local_model(wiki, make_service, monkeypatch):
    def script(sequence):
        prompt = bytes(sequence.prompt).decode()
        asked = prompt.rpartition("<user>")[2].partition("\n<assistant>")[0]
        return [*wiki.rules(asked).encode(), END_OF_TURN]

    def start(options, hub):
        service = make_service(
            runner=ScriptedRunner(script), max_context=100_000, context_window=100_000
        )
        monkeypatch.setattr(runtime, "_service", service)
        return service

    monkeypatch.setattr(runtime, "start", start)


def run(capsys, *words):
    call_command("synthesize", *words)
    return capsys.readouterr().out


def test_a_server_that_answers_does_it(wiki, serve, capsys, settings):
    asked = []

    def answer(request):
        asked.append((str(request.url), request.headers.get("authorization")))
        return httpx2.Response(200, text=STREAM)

    serve(answer)
    settings.API_KEYS = ("secret",)

    shown = run(capsys)

    assert "[1/9] ingest: Reading conversations" in shown
    assert "synthesis done — 1 change" in shown
    assert asked == [(f"{settings.JOBS.server_url}/v1/memory/synthesize", "Bearer secret")]


def test_without_a_server_a_model_is_loaded(wiki, serve, local_model, capsys):
    shown = run(capsys)

    assert "Loading the model" in shown
    assert "[9/9] wikify" in shown
    assert "Create Atlas" in shown
    assert "Atlas" in wiki.articles()


def test_a_dry_run_needs_neither(wiki, capsys):
    shown = run(capsys, "--dry")

    assert "[1/9] ingest: 2 conversations to read" in shown
    assert wiki.articles() == {}


def test_what_the_server_says_went_wrong_is_the_command_s_error(wiki, serve):
    serve(lambda request: httpx2.Response(200, text='data: {"type":"error","message":"busy"}\n'))

    with pytest.raises(CommandError, match="busy"):
        call_command("synthesize")


def test_a_server_that_refuses_is_an_error(wiki, serve):
    serve(lambda request: httpx2.Response(401))

    with pytest.raises(CommandError, match="401"):
        call_command("synthesize")


def test_without_a_vault_nothing_is_loaded(tmp_path, settings, memory):
    (memory.root / "articles").rmdir()
    settings.VAULT = memory.vault

    with pytest.raises(CommandError, match="no memory vault yet"):
        call_command("synthesize")
