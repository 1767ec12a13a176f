"""All there is to know of a column when it is decided what it is: its words, and how many cells are not words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from learnt.data.kinds.markers import are_empty, are_markers
from learnt.data.kinds.options import ReadOptions
from learnt.data.raw import Words
from learnt.data.table import Array

_MOST_SAMPLED = 500
_FEW = 32
_FIGURE = re.compile(r"\d|inf|∞", re.IGNORECASE)


@dataclass(frozen=True)
class Seen:
    """The words of a column, markers of missing cells told from the rest."""

    name: str
    words: Words
    n_numbers: int
    n_empty: int
    options: ReadOptions

    @cached_property
    def markers(self) -> Array:
        return are_markers(self.words, self.name, self.options)

    @cached_property
    def empty(self) -> Array:
        return are_empty(self.words)

    @cached_property
    def rest(self) -> Array:
        """The places of words that are not markers."""
        return np.flatnonzero(~self.markers)

    @cached_property
    def texts(self) -> list[str]:
        """The texts of the rest."""
        return list(self.words.texts) if len(self.rest) == len(self.words) else self.texts_at(self.rest)

    @cached_property
    def counts(self) -> Array:
        """The cells of the rest."""
        return self.words.counts[self.rest]

    @cached_property
    def sample(self) -> list[str]:
        """Some of the texts of the rest, from all over it."""
        step = -(-len(self.rest) // _MOST_SAMPLED)
        return self.texts[:: max(step, 1)]

    @cached_property
    def few(self) -> list[str]:
        """Fewer still, for a look that costs next to nothing: tables have thousands of columns."""
        return self.sample[:: -(-len(self.sample) // _FEW) or 1]

    @cached_property
    def has_figures(self) -> bool:
        """Whether some texts hold a figure, without which none is a number or a date."""
        return any(_FIGURE.search(text) for text in self.sample)

    def texts_at(self, places: Array) -> list[str]:
        return [self.words.texts[i] for i in places.tolist()]
