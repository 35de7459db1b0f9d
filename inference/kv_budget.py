"""Refuses a request whose keys and values could outgrow `--kv-budget` all by themselves."""

from inference.engine.config import EngineConfig
from inference.errors import ContextOverBudget, KvOverBudget

_GB = 10**9


def require_kv_budget(
    limits: EngineConfig, *, prompt_tokens: int, max_tokens: int, param: str
) -> None:
    """Check a prompt and the longest answer that it may get; together they are what counts.

    limits: of the engine, once it has started.
    param: the field that holds the prompt.
    Raises ContextOverBudget if the prompt alone is too long, otherwise KvOverBudget.
    """
    budget, cost = limits.kv_budget_bytes, limits.kv_cost
    needed = cost.of(prompt_tokens + max_tokens)
    if budget is None or needed <= budget:
        return
    longest = int(cost.longest(budget))
    if longest <= prompt_tokens:
        raise ContextOverBudget(
            f"prompt is {prompt_tokens} tokens but the KV budget of {_gb(budget)} holds {longest} "
            "— no room to generate; shorten the prompt or raise --kv-budget",
            param,
            prompt_tokens=prompt_tokens,
            limit=max(longest - 1, 0),
        )
    raise KvOverBudget(
        f"prompt is {prompt_tokens} tokens and the answer may take {max_tokens} more, whose keys "
        f"and values come to {_gb(needed)}, but the KV budget is {_gb(budget)}; ask for at most "
        f"{longest - prompt_tokens} tokens, shorten the prompt or raise --kv-budget",
        "max_tokens",
    )


def _gb(nbytes: int) -> str:
    return f"{nbytes / _GB:.4g} GB"
