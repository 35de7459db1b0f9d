"""Brings the lead of an article in line with its sections, after those were written to."""

from memory.article.edits import replace_lead
from memory.synthesis.changes import Overtaken, read_page, write
from memory.synthesis.citing import first_sentence, restored
from memory.synthesis.clip import clip
from memory.synthesis.drafts import draft
from memory.synthesis.gates import refuse_words
from memory.synthesis.marks import Marks
from memory.synthesis.models import ArticleState
from memory.synthesis.parts import LEAD, parts_of
from memory.synthesis.question import SENTENCES, Question
from memory.synthesis.run import Run

MOST_SECTIONS = 8
INSTRUCTIONS = (
    "Below are the lead of an article and the first sentences of its sections, which are newer. "
    "Write the lead again so that it agrees with them, in one to three sentences. Keep every mark "
    "in square brackets. If it agrees already, write it as it is."
)


def reconcile(run: Run, stem: str) -> None:
    """Rewrite the lead if it is ours; whatever comes of it, it is not tried again."""
    page = read_page(run, stem)
    lead = parts_of(page.article).get(LEAD) if page.article else None
    if page.article is None or lead is None or LEAD not in page.owned:
        _done(run, stem)
        return
    firsts = [
        clip(first_sentence(part.body), 200)
        for part in parts_of(page.article).values()
        if part.is_section
    ][:MOST_SECTIONS]
    material = f"Lead: {lead.body}\nSentences:\n" + "\n".join(f"- {first}" for first in firsts)
    text = draft(
        run,
        Question("patch", INSTRUCTIONS, material, SENTENCES, "Summary_Style"),
        lambda text: refuse_words(lead.body, text) is None,
    )
    if text is not None:
        after = replace_lead(page.article, " ".join(restored(lead.body, text).split()))
        subject = f"Bring the lead of {page.article.title} in line"
        try:
            if write(run, page, after, subject, Marks(needs_reconciling=False)) is None:
                return
        except Overtaken:
            return  # the next run looks again
    _done(run, stem)


def _done(run: Run, stem: str) -> None:
    run.pause()
    ArticleState.objects.filter(pk=stem).update(needs_reconciling=False)
