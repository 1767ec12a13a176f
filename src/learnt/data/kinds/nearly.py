"""When a few odd words do not keep a column from being numbers or dates."""

from __future__ import annotations

SHARE = 0.95  # of the cells that are there must be readable
HANDFUL = 10  # different words that are not, at most


def nearly_all(n_readable: int, n_others: int, n_words: int) -> bool:
    """Whether a column is what its readable cells are, `n_others` cells of `n_words` different texts aside."""
    if n_others == 0:
        return n_readable > 0
    return n_words <= HANDFUL and n_readable >= SHARE * (n_readable + n_others)
