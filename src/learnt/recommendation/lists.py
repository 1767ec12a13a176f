"""What is answered: items and their scores, best first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from learnt.data.table import Array, Table
from learnt.show.numbers import number
from learnt.show.text_table import aligned
from learnt.show.words import label


@dataclass(frozen=True)
class Scored(Sequence[tuple[Any, float]]):
    """Items with scores, best first: a sequence of pairs that shows itself as a table."""

    items: tuple[Any, ...]
    scores: tuple[float, ...]
    what: str = "score"

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, place: int) -> tuple[Any, float]: ...
    @overload
    def __getitem__(self, place: slice) -> Scored: ...
    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return Scored(self.items[place], self.scores[place], self.what)
        return self.items[place], self.scores[place]

    def __iter__(self) -> Iterator[tuple[Any, float]]:
        return iter(zip(self.items, self.scores, strict=True))

    def to_table(self) -> Table:
        """The same as a table of two columns."""
        return Table({"item": list(self.items), self.what: list(self.scores)})

    def __str__(self) -> str:
        if not self.items:
            return "no items"
        rows = [[label(item), number(score)] for item, score in self]
        return aligned([["item", self.what], *rows], left=(0,))


def best_places(scores: Array, weights: Array, n: int) -> Array:
    """The places of the n highest scores; of equal ones those with more ratings, then the first. −inf is left out."""
    n = min(n, int((scores > -np.inf).sum()))
    if n == 0:
        return np.zeros(0, np.int64)
    least = np.partition(scores, len(scores) - n)[len(scores) - n]
    near = np.flatnonzero(scores >= least)
    order = np.lexsort((near, -weights[near], -scores[near]))
    return near[order[:n]]
