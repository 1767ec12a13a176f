"""Columns of true and false."""

from __future__ import annotations

from learnt.data.cells import FALSE, TRUE
from learnt.data.kinds.decision import Decision
from learnt.data.kinds.missing import missing_notes
from learnt.data.kinds.seen import Seen

_BOOLEANS = frozenset((*TRUE, *FALSE))


def as_boolean(seen: Seen) -> Decision | None:
    """Boolean if every word but the missing ones is true or false; yes and no are labels."""
    texts = seen.texts
    if seen.n_numbers or not texts or len(texts) > 2 * len(_BOOLEANS) or not _BOOLEANS.issuperset(texts):
        return None
    return Decision(seen.name, "boolean", notes=missing_notes(seen))
