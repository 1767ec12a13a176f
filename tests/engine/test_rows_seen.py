"""What all rows together must have."""

from __future__ import annotations

import numpy as np
import pytest

from learnt.data.table import Table
from learnt.engine import Batch
from learnt.engine.rows_seen import RowsSeen
from learnt.errors import InputError


def seen(target, weights=None) -> RowsSeen:
    target = np.asarray(target, float)
    weights = None if weights is None else np.asarray(weights, float)
    return RowsSeen.of(Batch(Table({"x": np.zeros(len(target))}), 0, target, weights), ends=True)


@pytest.mark.parametrize("cut", [0, 1, 3, 4])
def test_pieces_add_up_to_the_whole(cut):
    target, weights = [3.0, -1.0, 9.0, 2.0], [1.0, 0.0, 0.0, 2.0]
    both = seen(target[:cut], weights[:cut]) + seen(target[cut:], weights[cut:])
    assert both == seen(target, weights) == RowsSeen(4, True, 2.0, 3.0)


def test_rows_without_weight_are_none():
    assert not seen([1.0, 2.0], [0.0, 0.0]).weighted
    assert not RowsSeen().weighted
    assert (RowsSeen() + RowsSeen()).rows == 0


def test_targets_of_two_pieces_may_be_too_far_apart():
    with pytest.raises(InputError, match="squares overflow"):
        seen([1e151]) + seen([-1e151])
