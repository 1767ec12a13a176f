"""Where learning starts, by hand."""

import numpy as np
import pytest

from learnt.data.table import Table
from learnt.errors import InputError
from learnt.graphical.hmm.chain import Chain, ChainSmoothing
from learnt.graphical.hmm.start import (
    counted_chain,
    cut_states,
    even_chain,
    kmeans_states,
    known_states,
    shares_of,
)


def test_states_by_k_means_are_numbered_as_they_appear_and_rows_without_cells_have_none():
    table = Table({"x": [9.0, 9.1, None, 0.0, 0.1, 5.0, 9.2]})
    assert kmeans_states(table, 3, np.random.default_rng(0)).tolist() == [0, 0, -1, 1, 1, 2, 0]


def test_sequences_are_cut_into_stretches():
    assert cut_states(np.array([0, 4, 4, 7]), 2).tolist() == [0, 0, 1, 1, 0, 0, 1]


def test_shares_add_up_to_one():
    found = shares_of(np.array([0, 2, -1]), 3, 0.8)
    np.testing.assert_allclose(found, [[0.8, 0.1, 0.1], [0.1, 0.1, 0.8], [1 / 3] * 3])
    assert shares_of(np.array([0, -1]), 1, 0.8).tolist() == [[1.0], [1.0]]


def test_known_states_are_counted_within_sequences_only():
    smoothing = ChainSmoothing(0.0, 0.0, np.ones(2, bool), np.ones((2, 2), bool))
    before = Chain(np.array([0.5, 0.5]), np.full((2, 2), 0.5))
    states, offsets = np.array([0, 0, 1, -1, 1, 1, 0]), np.array([0, 4, 4, 7])
    weights = np.array([1.0] * 4 + [3.0] * 3)
    found = counted_chain(states, offsets, weights, before, smoothing)
    np.testing.assert_allclose(found.start, [1 / 4, 3 / 4])
    np.testing.assert_allclose(found.transition, [[0.5, 0.5], [0.5, 0.5]])  # 0→0, 0→1; 1→1 and 1→0 thrice each
    states[1] = 1
    np.testing.assert_allclose(counted_chain(states, offsets, weights, before, smoothing).transition[1], [3 / 7, 4 / 7])


def test_an_even_chain_keeps_to_what_is_allowed():
    allowed = np.array([[True, True, False], [False, True, True], [False, False, True]])
    found = even_chain(ChainSmoothing(0.0, 0.0, np.array([True, False, False]), allowed))
    assert found.start.tolist() == [1, 0, 0]
    np.testing.assert_allclose(found.transition, [[0.8, 0.2, 0], [0, 0.8, 0.2], [0, 0, 1]])


def test_labels_become_states_in_order():
    names, codes = known_states(["sun", None, "rain", float("nan"), "sun"])
    assert names == ("rain", "sun")
    assert codes.tolist() == [1, -1, 0, -1, 1]
    assert known_states(None) == (None, None)
    with pytest.raises(InputError, match="y holds no state"):
        known_states([None, None])
