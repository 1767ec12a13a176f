"""What the learners of a comparison make of columns of text."""

from __future__ import annotations

from collections.abc import Sequence

from learnt.data.schema import Schema
from learnt.evaluate.comparison.candidates import Candidate
from learnt.evaluate.comparison.roles import quoted_names
from learnt.learner.base import Learner
from learnt.show.words import list_of

MOST_NAMED = 6


def text_notices(schema: Schema, taking_part: Sequence[Candidate]) -> list[str]:
    """A sentence about the columns of text, if there are any: who counts words, who leaves them out."""
    texts = [c.name for c in schema if c.kind_name == "text"]
    ours = [c for c in taking_part if isinstance(c.learner, Learner) and not c.skip]
    counting = [c.name for c in ours if c.learner.takes_text in ("counts", "presence")]
    without = [c.name for c in ours if c.learner.takes_text == "left out" and "text" not in c.learner.abilities]
    if not texts or not counting + without:
        return []
    be = "is text" if len(texts) == 1 else "are text"
    its = "its" if len(texts) == 1 else "their"
    if not without:
        return [f"{quoted_names(texts)} {be}: {its} words are counted."]
    who = list_of(without, most=MOST_NAMED)
    leave = "makes nothing of words and leaves" if len(without) == 1 else "make nothing of words and leave"
    told = f"{who} {leave} {'it' if len(texts) == 1 else 'them'} out."
    return [f"{quoted_names(texts)} {be}: {f'{its} words are counted; ' if counting else ''}{told}"]
