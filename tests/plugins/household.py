"""A small data set of our own: things of a household, each described in one fixed form.

A model that has learnt the form gives it to things that it was not trained on. In the pairs the
answer in that form is the better one, and a chatty one the worse.
"""

import json
from pathlib import Path
from typing import Any

_THINGS = """
kettle|boiling water|descale it once a month
broom|sweeping floors|hang it up, bristles free
iron|smoothing clothes|empty the water after use
sieve|draining pasta|rinse it before it dries
whisk|beating eggs|wash it by hand
ladder|reaching high shelves|check the feet for grip
candle|lighting a table|trim the wick
doormat|catching dirt|shake it out every week
teapot|brewing tea|rinse it without soap
drill|making holes|oil the chuck once a year
bucket|carrying water|dry it upside down
ruler|measuring lengths|keep it away from heat
grater|shredding cheese|brush it from the back
hammer|driving nails|wipe the head with oil
pillow|resting the head|air it in the sun
scissors|cutting paper|sharpen them every spring
mirror|checking one's looks|polish it with a dry cloth
thermos|keeping soup warm|leave the lid open
curtain|keeping light out|wash it twice a year
toaster|browning bread|empty the crumb tray
basket|carrying laundry|dust it with a brush
corkscrew|opening bottles|dry the spiral
notebook|keeping notes|store it flat
umbrella|keeping rain off|dry it open
funnel|filling bottles|rinse it with hot water
rake|gathering leaves|hang it with the teeth to the wall
""".strip().splitlines()
HELD_OUT = 4


def question(thing: str) -> str:
    return f"Tell me about a {thing}."


def rows() -> list[dict[str, Any]]:
    return [
        {
            "messages": [
                {"role": "user", "content": question(thing)},
                {"role": "assistant", "content": f"Thing: {thing}. Use: {use}. Care: {care}."},
            ]
        }
        for thing, use, care in (line.split("|") for line in _THINGS)
    ]


def pairs() -> list[dict[str, Any]]:
    return [
        {
            "prompt": question(thing),
            "chosen": f"Thing: {thing}. Use: {use}. Care: {care}.",
            "rejected": f"Oh, a {thing}! What a nice question. People like it for {use}.",
        }
        for thing, use, care in (line.split("|") for line in _THINGS)
    ]


def write_rows(folder: Path, content: list[dict[str, Any]], held_out: int = HELD_OUT) -> Path:
    """Write train.jsonl and valid.jsonl, the last few rows into the latter."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = {"train": content[:-held_out], "valid": content[-held_out:]}
    for name, part in parts.items():
        lines = "".join(json.dumps(row) + "\n" for row in part)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return folder
