"""The strings that end an answer, limited alike by every protocol."""

from inference.errors import InvalidRequest

# OpenAI allows four; some clients send a few more, none a thousand.
MAX_STOPS = 16


def stop_strings(value: object, name: str) -> tuple[str, ...]:
    """Check the field `name`; null is none, a string is one, empty strings are left out."""
    stops = [value] if isinstance(value, str) else [] if value is None else value
    if not isinstance(stops, list) or not all(isinstance(stop, str) for stop in stops):
        raise InvalidRequest(f"{name} must be a string or a list of strings", name)
    if len(stops) > MAX_STOPS:
        raise InvalidRequest(
            f"{name} has {len(stops)} strings, the limit is {MAX_STOPS}; send fewer", name
        )
    return tuple(stop for stop in stops if stop)
