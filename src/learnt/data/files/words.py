"""The words of a column over blocks and files: what decides what the column is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from learnt.data.kinds import Decision, ReadOptions, decide
from learnt.data.raw import Words


@dataclass(frozen=True)
class ColumnWords:
    """All that is known of a column of a text file without its rows."""

    name: str
    words: Words
    n_numbers: int
    n_empty: int
    options: ReadOptions

    def decide(self) -> Decision:
        return decide(self.name, self.words, self.n_numbers, self.n_empty, self.options)


def merge_words(parts: Sequence[Words]) -> Words:
    """The words of all parts in the order of their coming, each once, with the line of the first part that has it."""
    parts = [part for part in parts if len(part)]
    if len(parts) < 2:
        return parts[0] if parts else Words()
    places: dict[tuple[str, bool], int] = {}
    ids = [
        np.fromiter(
            (places.setdefault(word, len(places)) for word in zip(part.texts, part.quoted.tolist(), strict=True)),
            np.int64,
            len(part),
        )
        for part in parts
    ]
    counts = np.zeros(len(places), dtype=np.int64)
    lines = np.zeros(len(places), dtype=np.int64)
    for part, places_of_part in zip(reversed(parts), reversed(ids), strict=True):
        counts[places_of_part] += part.counts
        lines[places_of_part] = part.lines
    quoted = np.fromiter((is_quoted for _, is_quoted in places), bool, len(places))
    return Words(tuple(text for text, _ in places), quoted, counts, lines)


def merge_columns(parts: Sequence[ColumnWords]) -> ColumnWords:
    """One column of several files; the first tells how texts are read."""
    return ColumnWords(
        parts[0].name,
        merge_words([part.words for part in parts]),
        sum(part.n_numbers for part in parts),
        sum(part.n_empty for part in parts),
        parts[0].options,
    )
