"""What the servers are asked. The same words for each, and no two prompts alike."""

import random

from benchmarks.client import Messages

# Short words that the usual vocabularies hold whole, so that a word is about a token.
WORDS = str.split(
    "time year people way day man thing woman life child world school state family student "
    "group country problem hand part place case week company system program question work "
    "night point home water room mother area money story fact month lot right study book eye"
)
STORYTELLER = {"role": "system", "content": "You tell stories."}


def story(number: int) -> Messages:
    """A short prompt with a long answer."""
    text = f"Tell me a very long story, number {number}."
    return [STORYTELLER, {"role": "user", "content": text}]


def long_prompt(num_tokens: int, *, topic: int, question: int) -> Messages:
    """A prompt of about `num_tokens`; two of one topic differ at their very end only."""
    words = random.Random(topic).choices(WORDS, k=num_tokens)
    return [
        {"role": "system", "content": " ".join(words)},
        {"role": "user", "content": f"Say the word {WORDS[question]}."},
    ]
