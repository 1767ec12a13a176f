"""Growing by hand: values, weights and the first test of a table small enough to check."""

import math

import numpy as np
import pytest

from learnt.data.table import Table
from learnt.tree.alternating.growing import grow_alternating
from learnt.tree.alternating.searching import Columns

TABLE = Table({"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]})
POSITIVE = np.array([False, False, False, True, True, True])


def grown(rounds, weights=None, epsilon=1.0, positive=POSITIVE):
    w = np.ones(6) if weights is None else weights
    return grow_alternating(Columns(TABLE), positive, w, rounds, epsilon)


def test_the_root_says_how_the_weights_stand():
    tree = grown(0, np.array([1.0, 1.0, 1.0, 2.0, 2.0, 2.0]))
    assert tree.value.tolist() == pytest.approx([0.5 * math.log((6 + 1) / (3 + 1))])
    assert tree.weight.tolist() == [9.0]
    assert len(tree.column) == 0


def test_the_first_test_is_the_one_of_the_smallest_z():
    """Of five places to cut, Z = Σ 2·√((W₊ + ε)(W₋ + ε)) is smallest in the middle; the root leaves weights as they
    were, since both classes weigh the same."""

    def z(cut):
        sides = (slice(None, cut), slice(cut, None))
        return sum(2 * math.sqrt((POSITIVE[s].sum() + 1) * ((~POSITIVE[s]).sum() + 1)) for s in sides)

    assert min(range(1, 6), key=z) == 3
    tree = grown(1)
    assert tree.threshold.tolist() == [3.5]
    assert tree.value.tolist() == pytest.approx([0.0, 0.5 * math.log(1 / 4), 0.5 * math.log(4)])
    assert tree.gain.tolist() == pytest.approx([(4 - (z(3) - 6)) / 6])


def test_the_same_test_again_corrects_its_values():
    """After the first round right rows weigh e^(−½·ln 4) = ½: the second adds ½·ln((3/2 + 1)/1) to each side."""
    tree = grown(2)
    assert len(tree.column) == 1
    assert tree.value[2] == pytest.approx(0.5 * math.log(4) + 0.5 * math.log(2.5))


def test_nothing_is_hung_where_nothing_can_be_told():
    same = Columns(Table({"x": [1.0] * 6}))
    tree = grow_alternating(same, np.arange(6) < 2, np.ones(6), 5, 1.0)
    assert len(tree.column) == 0
    assert tree.value[0] == pytest.approx(0.5 * math.log(3 / 5))
