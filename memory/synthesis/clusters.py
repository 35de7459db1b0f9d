"""Groups chunks that speak of the same, by the words that they share."""

import re
from collections.abc import Sequence

MOST, FEWEST = 6, 2
ALIKE = 0.2
"""Share of words, of both together, above which two groups are one."""
_SHORT = 3  # letters; shorter words hold sentences together, not topics


def tokens(text: str) -> frozenset[str]:
    return frozenset(w for w in re.findall(r"\w+", text.casefold()) if len(w) > _SHORT)


def overlap(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / len(a | b) if a | b else 0.0


def cluster(bags: Sequence[frozenset[str]]) -> list[list[int]]:
    """Return groups of indices, `FEWEST` to `MOST` where there are that many, in order.

    The two groups that share most become one, while there are too many groups or two that
    clearly belong together.
    """
    groups = [([index], bag) for index, bag in enumerate(bags)]
    while len(groups) > FEWEST:
        score, first, second = max(
            (overlap(groups[i][1], groups[j][1]), -i, -j)
            for i in range(len(groups))
            for j in range(i + 1, len(groups))
        )
        if len(groups) <= MOST and score < ALIKE:
            break
        i, j = -first, -second
        merged = (sorted(groups[i][0] + groups[j][0]), groups[i][1] | groups[j][1])
        groups = [group for k, group in enumerate(groups) if k not in (i, j)]
        groups = sorted([*groups, merged], key=lambda group: group[0][0])
    return [indices for indices, _ in groups]
