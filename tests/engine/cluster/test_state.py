"""State of a piece: kept as it is where it is arrays and there is room, and as any other stream's where not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from learnt.data.table import Table
from learnt.engine import Batch, Pass
from learnt.engine.cluster.state import PieceEngine, size_of
from learnt.engine.passes import Parts
from learnt.engine.room import Room
from learnt.statistics.sums import ArraySums


@dataclass(frozen=True)
class Pair:
    one: Any
    two: Any


def test_the_size_of_arrays_is_that_of_their_cells():
    numbers = np.zeros(10)
    assert size_of(numbers) == 80
    assert size_of([numbers, None]) == 80
    assert size_of(Pair(numbers, [np.zeros(3, np.uint8)])) == 83
    assert size_of(None) == 0


@pytest.mark.parametrize("other", [np.zeros(10)[:2], np.array(["a"], object), 7, {"a": 1}, (1, 2)], ids=str)
def test_what_is_not_whole_arrays_has_no_size(other):
    assert size_of(other) is None
    assert size_of([np.zeros(2), other]) is None


class Rows:
    n_rows = 6

    def batches(self):
        for first in (0, 3):
            yield Batch(Table({"x": np.arange(first, first + 3, dtype=float)}), first)


class Begin(Pass):
    state = "required"

    def __call__(self, batch, state):
        values = batch.table["x"].values.copy()
        return ArraySums(batch.n_rows, (values.sum(),)), Parts({"values": values, "view": values[:1], "name": "rows"})


class Double(Pass):
    """Doubles its state where it stands."""

    state, reads = "required", False

    def __call__(self, batch, state):
        values = state["values"]
        values *= 2
        return ArraySums(batch.n_rows, (values.sum() + state["view"].sum(),)), state.replaced(values=values)


@pytest.mark.parametrize("size", [1 << 20, 60, 0])  # room for all, for some, for nothing
def test_state_that_is_changed_in_place_is_there_in_the_next_pass(size):
    room = Room(size)
    engine = PieceEngine(Rows(), room=room)
    engine.answer(Begin())
    found = [engine.answer(Double()).arrays[0] for _ in range(3)]
    assert found == [2 * 15 + 3, 4 * 15 + 3, 8 * 15 + 3]  # the view was copied, and stays as it was
    assert room.used <= size
    engine.close()
    assert room.used == 0


def test_arrays_stay_the_same_arrays_while_there_is_room():
    engine = PieceEngine(Rows(), room=Room(1 << 20))
    engine.answer(Begin())
    before = engine.memory[0, "values"][1]
    engine.answer(Double())
    assert engine.memory[0, "values"][1] is before
    engine.close()
