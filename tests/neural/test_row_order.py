import numpy as np
import pytest

from learnt import Table
from learnt.errors import InputError
from learnt.neural.inputs import NetInputs
from learnt.neural.net import NetRows
from learnt.neural.row_order import held_out_places, holds_out, in_drawn_order, relative_weights, with_weight


def test_the_order_follows_from_cells_and_whole_weights_are_copies():
    x, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20.0)
    inputs = NetInputs.of(Table(x), None, scaling=True, most=16)
    rows = NetRows(*inputs.encode(Table(x)))
    weights = np.ones(20)
    weights[3], weights[5] = 2, 0
    found = in_drawn_order(inputs, rows, y, weights)
    mixed = np.random.default_rng(1).permutation(20)
    again = in_drawn_order(inputs, rows.take(mixed), y[mixed], weights[mixed])
    assert len(found[0]) == 20
    assert found[2] is None
    np.testing.assert_array_equal(found[1], again[1])
    np.testing.assert_array_equal(found[0].x, again[0].x)
    assert np.bincount(found[1].astype(int)).tolist() == weights.astype(int).tolist()


def test_rows_without_weight_are_left_out():
    rows = NetRows(np.arange(6.0).reshape(3, 2), np.zeros((3, 0), np.int32))
    left, y, w = with_weight(rows, np.arange(3), np.array([1.0, 0.0, 2.0]))
    assert (left.x[:, 0].tolist(), y.tolist(), w.tolist()) == ([0, 4], [0, 2], [1, 2])


def test_equal_weights_are_none():
    assert relative_weights(np.array([3.0, 3.0])) is None
    assert relative_weights(np.array([3.0, 0.0])).tolist() == [1, 0]
    assert relative_weights(np.array([1.0, 2.0])).tolist() == [1, 2]


def test_rows_are_held_out_from_a_thousand_on_or_where_it_is_said():
    assert [holds_out("auto", n) for n in (999, 1000)] == [False, True]
    assert [holds_out(flag, 10) for flag in (False, True)] == [False, True]
    assert held_out_places("auto", 0.1, 999, seed=0, owner="A net") is None


def test_what_is_held_out_is_the_share_asked_for_and_hangs_on_the_seed_alone():
    found = held_out_places(True, 0.25, 10_000, seed=3, owner="A net")
    assert len(found) / 10_000 == pytest.approx(0.25, abs=0.02)
    np.testing.assert_array_equal(found, held_out_places("auto", 0.25, 10_000, seed=3, owner="A net"))
    assert not np.array_equal(found, held_out_places(True, 0.25, 10_000, seed=4, owner="A net"))


def test_a_share_that_leaves_no_row_on_one_side_is_refused():
    with pytest.raises(InputError, match=r"A net: early_stopping holds out 0\.1 of 1 rows"):
        held_out_places(True, 0.1, 1, seed=0, owner="A net")
