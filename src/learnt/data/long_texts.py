"""Which columns of texts hold documents and not labels: the one rule, for files and frames alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from learnt.data.form import TEXT, Form

LONG = 40  # characters of a text, on average
WORDS = 5  # in a text, on average
DISTINCT = 0.5  # of the cells of a column of texts differ, at least
FEW = 20  # different texts are labels, however long
MOST_SAMPLED = 500  # texts looked at


def are_long_texts(texts: Sequence[Any], n_distinct: int, n_cells: int) -> bool:
    """Whether cells, of which so many differ, are documents: long, and mostly different. `texts` may be some of those
    that differ, from all over them."""
    if n_distinct < FEW or n_distinct < DISTINCT * n_cells:
        return False
    lengths = [(len(text), len(text.split())) for text in texts if isinstance(text, str)]
    if len(lengths) < len(texts):
        return False
    n_characters, n_words = (sum(each) / len(lengths) for each in zip(*lengths, strict=True))
    return bool(n_words > WORDS or (n_characters > LONG and n_words > 2))


def form_of_texts(texts: Sequence[str], n_cells: int) -> Form | None:
    """The form of a column of different texts, that of documents or none."""
    if len(texts) < FEW:
        return None
    some = texts[:: max(1, -(-len(texts) // MOST_SAMPLED))]
    return TEXT if are_long_texts(some, len(texts), n_cells) else None
