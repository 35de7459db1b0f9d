"""Articles made at random: well formed ones, and such as a hasty hand leaves behind."""

import random

WORDS = (
    *("river", "stone", "lantern", "quiet", "harbour", "machine", "pattern", "ledger", "copper"),
    *("window", "garden", "signal", "orbit", "meadow", "engine", "winter", "thread", "basket"),
    *("mirror", "canyon", "naïve", "Zürich", "東京", "émigré"),
)
FLAWS = ("## ", "```", "~~~~ x", "[[", "]] [^", "{{stub}}", "# Again", "\ufeff", "\r", "`", "[^9]:")


def sentence(rng, links=()):
    words = [rng.choice(WORDS) for _ in range(rng.randint(4, 12))]
    if links and rng.random() < 0.5:
        words.insert(rng.randrange(len(words)), f"[[{rng.choice(links)}]]")
    return " ".join(words).capitalize() + "."


def make_article(rng: random.Random, stem: str, links=()) -> str:
    """A well-formed article: its structure has no problem."""
    lines = [f"# {stem.replace('_', ' ')}", ""]
    if links and rng.random() < 0.3:
        lines += [f"*Part of a series on [[{rng.choice(links)}]].*", ""]
    if rng.random() < 0.7:
        lines += ["```info", f"kind: {rng.choice(['person', 'project', 'thing'])}", "type: Test"]
        lines += [f"aliases: {stem.lower()}, the {rng.choice(WORDS)}", "since: 2024-05", "```", ""]
    lines += [f"{sentence(rng, links)}[^1]", ""]
    if rng.random() < 0.5:
        lines += ["categories: [[Category:Made_Up]], [[Category:Other]]", ""]
    for number in range(rng.randint(0, 4)):
        lines += [f"## Part {number}", "", *(sentence(rng, links) for _ in range(3)), ""]
        if rng.random() < 0.3:
            lines += ["```python", "# no heading", "[[No_Link]] [^7]", "```", ""]
    if links:
        lines += ["## See also", "", f"- [[{rng.choice(links)}]]", ""]
    lines += ["## References", "", "[^1]: `conv:0a1b2c3d` (2026-01-02, chat) — It was said."]
    return "\n".join(lines) + "\n"


def spoil(rng: random.Random, text: str) -> str:
    """Put something into the text that does not belong there, or take a piece away."""
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(text) + 1)
        text = (
            text[:at] + rng.choice(["\n", ""]) + rng.choice(FLAWS) + text[at + rng.choice([0, 5]) :]
        )
    return text
