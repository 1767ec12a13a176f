"""A column of a text file as it stands there, before anybody has said what it is.

The parser of text files makes these, `learnt.data.kinds` decides what they mean. Cells that are plain numbers are
numbers at once; all other texts are kept once each, with how often and where first they were seen, so that deciding
costs as much as there are different texts, however many rows there are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Words:
    """Different texts of a column, without the space around them. The same text quoted and bare are two words."""

    texts: tuple[str, ...] = ()
    quoted: Array = field(default_factory=lambda: np.empty(0, dtype=bool))
    counts: Array = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    lines: Array = field(default_factory=lambda: np.empty(0, dtype=np.int64))  # of the first cell, from 1
    known: dict[Any, Any] = field(default_factory=dict, init=False, compare=False, repr=False)  # read already

    def __len__(self) -> int:
        return len(self.texts)


@dataclass(frozen=True)
class RawColumn:
    """One column of a block of rows.

    `numbers` is None where every cell was kept as a word: then `codes` has one entry per row, the place of its word,
    −1 for an empty cell without quotes. Otherwise `numbers` has one entry per row, NaN where the cell is empty or a
    word, and `rows` and `codes` tell, for the rows that hold a word, which row (ascending) and which word. A number
    is a text that C's `strtod` would read whole, in decimal, with the file's decimal sign and without the space around
    it; "nan" and "inf" and their kind are words. So is a whole number with zeros in front ("007", "-01"; not "0", "0.5"
    or "00.5"): they are often codes, and would lose their zeros as numbers.
    """

    name: str
    words: Words
    codes: Array  # int32
    numbers: Array | None = None  # float64
    rows: Array | None = None  # int64, with `numbers` only

    @property
    def n_rows(self) -> int:
        return len(self.codes if self.numbers is None else self.numbers)
