"""The most probable path of one sequence, told as stays."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.table import Array
from learnt.graphical.hmm.sequences import Sequences
from learnt.graphical.hmm.wording import name_text
from learnt.show.numbers import number
from learnt.show.text_table import aligned
from learnt.show.words import count_of, label

if TYPE_CHECKING:
    from learnt.graphical.hmm.answers import Answers

MOST_STAYS = 30


@dataclass(frozen=True)
class Stay:
    """Rows of one state in a row: the first and the last, and their times."""

    state: Any
    first: int
    last: int
    begins: str
    ends: str

    @property
    def rows(self) -> int:
        return self.last - self.first + 1


@dataclass(frozen=True)
class StatePath:
    """`states` of all rows, and the log-probability of this path together with the rows."""

    states: Array
    log_probability: float
    stays: tuple[Stay, ...]
    name: str = ""

    def __len__(self) -> int:
        return len(self.states)

    def __str__(self) -> str:
        if not self.stays:
            return "a path of no rows"
        rows = [["state", "from", "to", "rows"]]
        for stay in self.stays[:MOST_STAYS]:
            rows.append([name_text(stay.state), stay.begins, stay.ends, str(stay.rows)])
        more = len(self.stays) - MOST_STAYS
        lines = [aligned(rows, left={0})]
        if more > 0:
            lines.append(f"… {count_of(more, 'more stay')}")
        of = f" of {self.name}" if self.name else ""
        lines.append(f"most probable path{of}, log-probability {number(self.log_probability)}")
        return "\n".join(lines)


def state_path(model: Answers, sequences: Sequences, s: int, path: Array, log_probability: float) -> StatePath:
    """The path of sequence s of all."""
    first, last = sequences.first_and_last(s)
    codes = path[first:last]
    cuts = [0, *(np.flatnonzero(codes[1:] != codes[:-1]) + 1).tolist(), len(codes)] if len(codes) else [0]
    stays = tuple(
        Stay(
            model._states[int(codes[a])],
            a,
            b - 1,
            sequences.time_text(first + a),
            sequences.time_text(first + b - 1),
        )
        for a, b in pairwise(cuts)
    )
    name = "" if sequences.ids is None else label(sequences.ids[s])
    return StatePath(model.states_[codes], log_probability, stays, name)
