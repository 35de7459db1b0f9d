"""Asks the server for what is due."""

import logging

import httpx2

from jobs.daily import Daily

logger = logging.getLogger(__name__)

# The route may be silent for as long as others use the model.
TIMEOUT = httpx2.Timeout(None, connect=10)


def ask_server(daily: Daily, server_url: str, key: str | None) -> None:
    """Ask the server for what is due, and read what it tells to the end. Never raises."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    url = f"{server_url}{daily.path}"
    try:
        with httpx2.stream("GET", url, headers=headers, timeout=TIMEOUT, trust_env=False) as reply:
            if reply.status_code != httpx2.codes.OK:
                logger.warning("%s: the server answered %s", daily.name, reply.status_code)
                return
            for line in reply.iter_lines():
                if line.startswith('data: {"type":"error"'):
                    logger.info("%s: %s", daily.name, line.removeprefix("data: "))
    except httpx2.HTTPError as error:
        logger.warning("%s: the server cannot be asked (%s)", daily.name, error)
