"""Search the Hub for models in MLX's format. Downloads nothing."""

from dataclasses import dataclass
from typing import Any

import httpx2
from huggingface_hub import get_session
from huggingface_hub.errors import OfflineModeIsEnabled

from hub.downloads.errors import HubUnreachable
from hub.downloads.remote import authorization

TIMEOUT = 5  # seconds; somebody waits for each letter typed
LIMIT = 30


@dataclass(frozen=True, slots=True)
class Hit:
    repo_id: str
    downloads: int
    likes: int


def search(endpoint: str, query: str, token: str | None) -> list[Hit]:
    """Models tagged `mlx` that match, most downloaded first.

    Asks once and never waits longer than `TIMEOUT`. Raises HubUnreachable for any answer that
    is not a list of models, and for none.
    """
    parameters: dict[str, str | int] = {
        "search": query,
        "filter": "mlx",
        "sort": "downloads",
        "direction": -1,
        "limit": LIMIT,
    }
    url, headers = f"{endpoint}/api/models", authorization(token)
    try:
        response = get_session().get(url, params=parameters, headers=headers, timeout=TIMEOUT)
        response.raise_for_status()
        rows = response.json()
    except OfflineModeIsEnabled as error:
        raise HubUnreachable("HF_HUB_OFFLINE is set") from error
    except httpx2.HTTPStatusError as error:
        raise HubUnreachable(f"the Hub answered {error.response.status_code}") from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise HubUnreachable(f"the Hub cannot be reached: {_reason(error)}") from error
    except (ValueError, RecursionError) as error:
        raise HubUnreachable("the Hub's answer is not JSON") from error
    if not isinstance(rows, list):
        raise HubUnreachable("the Hub's answer is not a list of models")
    return [_hit(row) for row in rows if isinstance(row, dict) and isinstance(row.get("id"), str)]


def _hit(row: dict[str, Any]) -> Hit:
    return Hit(row["id"], downloads=_count(row.get("downloads")), likes=_count(row.get("likes")))


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__
