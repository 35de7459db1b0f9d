"""How the served model is asked: after everybody else, by the stage's adapter, within its room."""

import threading
from types import SimpleNamespace

import pytest

from inference import runtime
from inference.errors import ContextOverBudget, EngineNotRunning, GenerationFailed, QueueFull
from inference.events import Failed, Finished, FinishReason, Lane, TextDelta, Usage
from memory.synthesis import served_model
from memory.synthesis.errors import NoModel, Stopped
from memory.synthesis.question import Question
from memory.synthesis.served_model import ServedModel

USAGE = Usage(prompt_tokens=1, completion_tokens=1, cached_tokens=0, lane=Lane.BATCHED)
QUESTION = Question("extract", "Say it.", "word " * 200)


class FakeService:
    """Answers each request by the next of `turns`: a text, an error, or a function for events.

    others: how many requests of others are under way, one number for each look; the last stays.
    """

    def __init__(self, *turns, others=(0,), adapters=()):
        self.turns = list(turns)
        self.requests = []
        self.adapters = SimpleNamespace(mounted=[SimpleNamespace(id=name) for name in adapters])
        self._others = list(others)
        self.ours = 0

    @property
    def num_under_way(self):
        others = self._others.pop(0) if len(self._others) > 1 else self._others[0]
        return self.ours + others

    async def generate(self, request):
        self.requests.append(request)
        turn = self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]
        if isinstance(turn, Exception) and not isinstance(turn, GenerationFailed):
            raise turn
        return FakeGeneration(self, turn)


class FakeGeneration:
    def __init__(self, service, turn):
        self._service, self._turn = service, turn

    async def __aenter__(self):
        self._service.ours += 1

    async def __aexit__(self, *error):
        self._service.ours -= 1

    async def __aiter__(self):
        if isinstance(self._turn, Exception):
            yield Failed(self._turn)
            return
        turn = self._turn
        text, reason = turn if isinstance(turn, tuple) else (turn, FinishReason.STOP)
        yield TextDelta(text)
        yield Finished(reason, USAGE)


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(served_model, "LOOK_SECONDS", 0.0)


@pytest.fixture
def serve(monkeypatch):
    def install(*turns, **options):
        service = FakeService(*turns, **options)
        monkeypatch.setattr(runtime, "_service", service)
        return service

    return install


def ask(*questions, batch=1, stop=None):
    with ServedModel(batch, stop or threading.Event()) as model:
        return model(questions)


def test_an_answer_is_asked_for_at_temperature_zero_and_with_a_limit(serve):
    service = serve(" Atlas \n")

    assert ask(QUESTION) == ["Atlas"]
    [request] = service.requests
    assert request.sampling.temperature == 0
    assert request.max_tokens == QUESTION.max_tokens
    assert request.prompt.messages[0].text == QUESTION.prompt
    assert request.prompt.thinking is False


def test_while_others_ask_it_waits(serve):
    service = serve("Atlas", others=[2, 1, 1, 0])

    assert ask(QUESTION) == ["Atlas"]
    assert len(service.requests) == 1


def test_when_somebody_comes_the_question_is_dropped_and_asked_again(serve):
    service = serve("Atlas", others=[0, 1, 1, 0])

    assert ask(QUESTION) == ["Atlas"]
    assert len(service.requests) == 2


def test_a_stage_s_adapter_answers_where_it_is_mounted(serve):
    service = serve("Atlas", adapters=["memory-extract"])

    ask(QUESTION, Question("patch", "Say it.", "word"))

    assert [request.adapter for request in service.requests] == [("memory-extract",), None]


def test_answers_come_in_the_order_of_the_questions(serve):
    serve("one", "two", "three")

    assert ask(QUESTION, QUESTION, QUESTION, batch=3) == ["one", "two", "three"]


def test_what_does_not_fit_is_asked_with_less_material(serve):
    too_long = ContextOverBudget("too long", prompt_tokens=9, limit=5)
    service = serve(too_long, too_long, "Atlas")

    assert ask(QUESTION) == ["Atlas"]
    sizes = [len(request.prompt.messages[0].text) for request in service.requests]
    assert sizes == sorted(sizes, reverse=True)
    assert all(r.prompt.messages[0].text.startswith("Say it.") for r in service.requests)


def test_a_model_without_any_room_ends_the_run(serve):
    serve(ContextOverBudget("too long", prompt_tokens=9, limit=5))

    with pytest.raises(NoModel, match="cannot answer"):
        ask(QUESTION)


def test_a_full_queue_is_waited_for(serve):
    serve(QueueFull("full"), "Atlas")

    assert ask(QUESTION) == ["Atlas"]


def test_an_answer_that_failed_is_an_empty_one(serve):
    serve(GenerationFailed("broken"))

    assert ask(QUESTION) == [""]


def test_an_answer_that_was_cut_off_loses_its_last_sentence(serve):
    serve(("One. Two. Thr", FinishReason.LENGTH))

    assert ask(QUESTION) == ["One. Two."]


def test_without_a_model_the_error_says_how_to_get_one(monkeypatch):
    monkeypatch.setattr(runtime, "_service", None)

    with pytest.raises(NoModel, match="download one"):
        ask(QUESTION)


def test_an_engine_that_stops_meanwhile_ends_the_run(serve):
    serve(EngineNotRunning("stopped"))

    with pytest.raises(NoModel, match="stopped"):
        ask(QUESTION)


def test_a_run_that_is_told_to_stop_asks_nothing_more(serve):
    service = serve("Atlas")
    stop = threading.Event()
    stop.set()

    with pytest.raises(Stopped):
        ask(QUESTION, stop=stop)
    assert service.requests == []
