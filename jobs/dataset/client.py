"""Asks this server's own model, over loopback HTTP as any other client would."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import httpx2

from jobs.dataset.errors import CallFailed, ServerRefused
from jobs.dataset.rows import Message

RETRY_WAITS = (1.0, 2.0, 4.0, 8.0)  # seconds
LONGEST_WAIT = 60.0  # seconds that a server may ask for
TRY_LATER = frozenset({408, 425, 429, 500, 502, 503, 504})
HOPELESS = frozenset({401, 403, 404})
# Answers wait while another job has the accelerator, so reading has no limit: a server that is
# gone closes the connection.
TIMEOUT = httpx2.Timeout(None, connect=10)
JSON = {"Content-Type": "application/json"}
TEMPERATURE = 0.7
MAX_TOKENS = 1024
MOST_LOGGED = 20  # failures; the rest is counted


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model said. calls: name and arguments, as JSON text, of each tool it called.

    is_cut: the limit of tokens ended it.
    """

    text: str
    reasoning: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    is_cut: bool = False


class ServerClient:
    """A server, seen by one job. Thread: that of one event loop; use it in an `async with`.

    key: sent as a header, and told to nobody. model: as the caller named it, if he did.
    log: takes a line for people. calls, failed: how many questions were asked, and in vain.
    """

    def __init__(
        self, url: str, *, key: str | None, model: str | None, log: Callable[[str], None]
    ) -> None:
        self.calls = 0
        self.failed = 0
        self._url, self._model, self._log = url, model, log
        self._http = httpx2.AsyncClient(
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=TIMEOUT,
            trust_env=False,  # a proxy would have to be this machine
        )

    async def __aenter__(self) -> Self:
        await self._http.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._http.__aexit__(kind, error, traceback)

    async def ask(
        self,
        *messages: Message,
        max_tokens: int = MAX_TOKENS,
        tools: Sequence[dict[str, Any]] = (),
        schema: dict[str, Any] | None = None,
        thinking: bool = False,
        may_be_cut: bool = False,
    ) -> Answer:
        """Return the model's answer, which says or calls something.

        schema: a JSON Schema that the server holds the answer to, if it can.
        may_be_cut: take an answer that the limit of tokens ended as well.
        Raises CallFailed, after it was logged and counted; ServerRefused.
        """
        body: dict[str, Any] = {
            "messages": list(messages),
            "max_tokens": max_tokens,
            "temperature": TEMPERATURE,
            "chat_template_kwargs": {"enable_thinking": thinking},
        }
        if self._model:
            body["model"] = self._model
        if tools:
            body["tools"] = list(tools)
        if schema is not None:
            form = {"name": "answer", "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        self.calls += 1
        try:
            answer = _read(await self._send(body))
            if answer.is_cut and not may_be_cut:
                raise CallFailed(f"the answer did not end within {max_tokens:,} tokens")
            return answer
        except CallFailed as error:
            self._note(error)
            raise

    def _note(self, error: CallFailed) -> None:
        self.failed += 1
        if self.failed <= MOST_LOGGED:
            self._log(f"a call failed: {error}")
        if self.failed == MOST_LOGGED:
            self._log("further calls that fail are only counted")

    async def _send(self, body: dict[str, Any]) -> Any:
        # Half characters, which are no text, become question marks, as in the rows.
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        for pause in (*RETRY_WAITS, None):
            wait = pause
            try:
                response = await self._http.post(
                    f"{self._url}/v1/chat/completions", content=content, headers=JSON
                )
            except (httpx2.RequestError, httpx2.InvalidURL) as error:
                if wait is None:
                    raise ServerRefused(
                        f"{self._url} cannot be reached ({str(error) or type(error).__name__}): "
                        "start the server, or name it by MLXSITE_SERVER_URL"
                    ) from error
            else:
                if response.status_code == httpx2.codes.OK:
                    return _json(response)
                reason = f"the server answered {response.status_code}: {_message(response)}"
                if response.status_code in HOPELESS:
                    raise ServerRefused(reason)
                if wait is None or response.status_code not in TRY_LATER:
                    raise CallFailed(reason)
                wait = _longer(wait, response.headers.get("retry-after", ""))
            await asyncio.sleep(wait)
        raise AssertionError("the last round raises or returns")


def _longer(wait: float, asked: str) -> float:
    """The longer of our wait and the one that the server asks for."""
    return max(wait, min(float(asked), LONGEST_WAIT)) if asked.isdecimal() else wait


def _json(response: httpx2.Response) -> Any:
    try:
        return response.json()
    except (ValueError, RecursionError) as error:
        raise CallFailed("the server's answer is not JSON") from error


def _message(response: httpx2.Response) -> str:
    try:
        told = response.json()["error"]
        told = told["message"] if isinstance(told, dict) else told
    except (ValueError, RecursionError, KeyError, TypeError):
        told = response.reason_phrase
    return str(told)[:300]


def _read(body: Any) -> Answer:
    try:
        [choice] = body["choices"]
        message = choice["message"]
        calls = [call["function"] for call in message.get("tool_calls") or ()]
        answer = Answer(
            text=str(message.get("content") or "").strip(),
            reasoning=str(message.get("reasoning") or "").strip(),
            calls=tuple((str(call["name"]), str(call["arguments"])) for call in calls),
            is_cut=choice.get("finish_reason") == "length",
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CallFailed("the server's answer is no chat completion") from error
    if not answer.text and not answer.calls:
        raise CallFailed("the answer is empty")
    return answer
