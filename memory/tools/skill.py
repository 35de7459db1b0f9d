"""What the model is told about its memory: one line always, the rest when it asks."""

HINT = (
    "You have a memory: a wiki of what the user has told before. When a question may touch the "
    "user's people, projects, things or preferences, look there before you answer: memory_resolve "
    "with the name, then memory_read."
)

SKILL = """\
How to read the memory:
1. A name in the question: memory_resolve. It knows other spellings.
2. memory_read for what it is and its sections; memory_section for the one that answers.
3. A date, a place, a number: memory_infobox is enough.
4. "Which of my …": memory_category. How things belong together: memory_links.
5. memory_search only if no name helps; with two or three telling words.
One or two calls answer most questions. What the memory does not say, you do not know: say so.
If it contradicts the user, the user is right.
About this program itself: reference_search, reference_read."""
