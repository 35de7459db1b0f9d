"""The server itself, by its own command, over a scripted model that plays a coding agent's task.

    python -m tests.agents.server PORT FOLDER LOG [SILENCE]

FOLDER is where the agent works. For each request LOG gets a line of JSON: how many tokens the
prompt has, and how many of them the prefix cache would have had. A token is a byte. With
SILENCE the first prompt takes so many seconds.
"""

import dataclasses
import json
import os
import sys
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mlxsite.settings")

import django
from django.core.management import call_command

from inference import scripted_service
from inference.engine.cache.prefix import PrefixCache
from inference.engine.scripted import ScriptedRunner
from inference.text.byte_tokenizer import END_OF_TURN
from tests.agents import play


@dataclasses.dataclass(frozen=True)
class Keys:
    """Stands for the keys and values of some tokens."""

    nbytes: int
    can_trim: bool = True


class AgentsModel(ScriptedRunner):
    """Plays the task; keeps and finds prefixes as `ModelRunner` does, without their contents."""

    def __init__(self, note, log, silence):
        super().__init__(self._answer)
        self.note, self.log, self.silence = note, log, silence
        self.prefixes = PrefixCache(max_bytes=10**9)

    def _answer(self, sequence):
        text = play.answer(bytes(sequence.prompt).decode(), self.note)
        return [*text.encode(), END_OF_TURN]

    def begin(self, sequence):
        super().begin(sequence)
        cached = self.prefixes.find(sequence.prompt).length
        self.log.write(json.dumps({"prompt": len(sequence.prompt), "cached": cached}) + "\n")
        return cached

    def launch(self, plan):
        for sequence in plan.ended:
            self._store(sequence.tokens_in_cache())
        for sequence in plan.decodes:
            if sequence.num_launched == 1:
                self._store(sequence.prompt[:-1])
        if plan.prefills:
            self.sleep(self.silence)
            self.silence = 0.0
        return super().launch(plan)

    def _store(self, tokens):
        self.prefixes.store(tokens, Keys(len(tokens)))


def main(port, folder, log_path, silence="0"):
    django.setup()
    with Path(log_path).open("w", buffering=1) as log:
        # What `--scripted` starts, but for the runner and its context.
        scripted_service.ScriptedRunner = lambda script, **times: AgentsModel(
            Path(folder, "note.txt"), log, float(silence)
        )
        scripted_service.CONTEXT = play.CONTEXT
        call_command("runserver_mlx", "--scripted", "--no-open", "--port", port)


if __name__ == "__main__":
    main(*sys.argv[1:])
