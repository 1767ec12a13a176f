"""From the words of a whole column to what it is."""

from __future__ import annotations

from learnt.data.kinds.booleans import as_boolean
from learnt.data.kinds.dates import as_date
from learnt.data.kinds.decision import Decision
from learnt.data.kinds.labels import as_labels
from learnt.data.kinds.numeric import as_numbers, as_plain_numbers
from learnt.data.kinds.options import ReadOptions
from learnt.data.kinds.seen import Seen
from learnt.data.raw import Words


def decide(name: str, words: Words, n_numbers: int, n_empty: int, options: ReadOptions) -> Decision:
    """What a column is, from all its words and how many of its cells are plain numbers or empty.

    What the user said about its kind steers the reading; making it exactly that kind (numbers as labels, an order)
    is left to those who have the cells. What contradicts the user is an error that names the line.
    """
    seen = Seen(name, words, n_numbers, n_empty, options)
    said = options.said(name)
    if said == "date":
        return as_date(seen, said=True) or as_plain_numbers(seen)
    if said == "numeric":
        return as_numbers(seen, said=True) or as_plain_numbers(seen)
    if said is not None:
        if len(seen.rest) == 0 and not seen.markers.any() and not _wants_texts(seen):
            return as_plain_numbers(seen)  # and then labels, as numbers of any other source
        return as_labels(seen)
    return as_boolean(seen) or as_numbers(seen) or as_date(seen) or as_labels(seen)


def _wants_texts(seen: Seen) -> bool:
    """Whether labels that the user declares for a column of numbers are texts."""
    return any(isinstance(label, str) for label in seen.options.ordinal.get(seen.name, ()))
