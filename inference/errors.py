"""What can go wrong with a generation, told once and in no protocol's words.

    InferenceError
    ├── InvalidRequest            the caller's fault: `param` names the field
    │   ├── ContextOverBudget     the prompt leaves no room to generate
    │   └── KvOverBudget          prompt and answer together could outgrow the KV budget
    ├── QueueFull                 too many requests wait already
    ├── EngineNotRunning          no model is loaded, or the engine stopped
    └── GenerationFailed          the model failed on an accepted request

Raised where the fact is known; each protocol package maps the tree to its own status
codes and bodies in one place.
"""


class InferenceError(Exception):
    """The root; its text is one sentence fit for the caller."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class InvalidRequest(InferenceError):
    """A request that can never succeed as sent; `param` is the field at fault, if one is."""

    def __init__(self, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.param = param


class ContextOverBudget(InvalidRequest):
    """The prompt alone fills the context that the model or the memory allows.

    prompt_tokens: its length. limit: the longest that leaves room for an answer. Tokens.
    """

    def __init__(
        self, message: str, param: str | None = None, *, prompt_tokens: int, limit: int
    ) -> None:
        super().__init__(message, param)
        self.prompt_tokens = prompt_tokens
        self.limit = limit


class KvOverBudget(InvalidRequest):
    """The keys and values of prompt and answer could outgrow what the operator allows."""


class QueueFull(InferenceError):
    """The waiting line is at its limit; trying again later can succeed."""


class EngineNotRunning(InferenceError):
    """No engine answers: not started yet, stopped, or dead."""


class GenerationFailed(InferenceError):
    """The model failed on a request that had been accepted."""
