"""What tells whether an answer under way may go on as the answer to another request."""

import hashlib
import json
from dataclasses import asdict

from inference.engine.sequence import Sequence
from inference.request import ChatPrompt, GenerationRequest


def generation_key(request: GenerationRequest, sequence: Sequence) -> str:
    """Return 32 hex digits, equal for requests whose answers are the same, token by token.

    The seed counts only if the caller chose it: one that was drawn is saved with the answer.
    What the model is and how it is run is known by the folder that answers are saved in.
    """
    sampling = asdict(sequence.sampling)
    sampling["seed"] = request.sampling.seed
    sampling["logit_bias"] = sorted(sequence.sampling.logit_bias.items())
    prompt = request.prompt
    calls = [list(prompt.tools), repr(prompt.tool_choice)] if isinstance(prompt, ChatPrompt) else []
    facts = {
        "prompt": sequence.prompt,
        "sampling": sampling,
        "max_tokens": sequence.max_tokens,
        "stop": request.stop,
        "stop_token_ids": sorted(sequence.stop_token_ids),
        "logprobs": sequence.logprobs,
        "constraint": repr(request.constraint),
        "calls": calls,
        "enforced": sequence.matcher is not None,
        "namespace": sequence.namespace,
        "serial": sequence.serial,
    }
    text = json.dumps(facts, sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()[:32]
