"""The hidden chain against powers and eigenvectors of its matrix, and by hand."""

import numpy as np
import pytest

from learnt.errors import InputError, ParameterError
from learnt.graphical.hmm.chain import Chain, ChainSmoothing, allowed_transitions


def random_chain(k, seed=0):
    rng = np.random.default_rng(seed)
    return Chain(rng.dirichlet(np.ones(k)), rng.dirichlet(np.ones(k), k))


def test_the_long_run_is_the_left_eigenvector():
    chain = random_chain(5)
    values, vectors = np.linalg.eig(chain.transition.T)
    stationary = np.real(vectors[:, np.argmax(values.real)])
    np.testing.assert_allclose(chain.long_run(), stationary / stationary.sum(), rtol=1e-9)


def test_a_chain_that_goes_round_spends_its_time_evenly():
    turn = Chain(np.array([1.0, 0.0]), np.array([[0.0, 1.0], [1.0, 0.0]]))
    np.testing.assert_allclose(turn.long_run(), 0.5)
    np.testing.assert_allclose(turn.ahead(turn.start, 3), [[0, 1], [1, 0], [0, 1]])


def test_shares_ahead_are_powers_of_the_matrix():
    chain = random_chain(4, seed=1)
    found = chain.ahead(chain.start, 6)
    for h in range(6):
        np.testing.assert_allclose(found[h], chain.start @ np.linalg.matrix_power(chain.transition, h + 1))


def test_stays_last_as_long_as_geometric_times_do():
    stays = Chain(np.array([1.0, 0.0]), np.array([[0.75, 0.25], [0.0, 1.0]])).expected_stays()
    assert stays.tolist() == [4.0, np.inf]


def test_counts_become_shares_and_what_was_not_seen_stays():
    before = random_chain(3)
    allowed = np.array([[True, True, False]] * 3)
    smoothing = ChainSmoothing(0.0, 1.0, np.array([True, True, True]), allowed)
    pairs = np.array([[3.0, 0.0, 7.0], [0.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
    found = Chain.of_counts(np.array([0.0, 3.0, 1.0]), pairs, before, smoothing)
    np.testing.assert_allclose(found.start, [0, 0.75, 0.25])
    np.testing.assert_allclose(found.transition, [[0.8, 0.2, 0], [0.5, 0.5, 0], [0.5, 0.5, 0]])
    bare = ChainSmoothing(0.0, 0.0, np.ones(3, bool), np.ones((3, 3), bool))
    np.testing.assert_allclose(Chain.of_counts(np.ones(3), pairs, before, bare).transition[1], before.transition[1])


def test_topologies_by_hand():
    first, steps = allowed_transitions("left-to-right", 3)
    assert first.tolist() == [True, False, False]
    assert steps.astype(int).tolist() == [[1, 1, 0], [0, 1, 1], [0, 0, 1]]
    assert allowed_transitions("cycle", 3)[1].astype(int).tolist() == [[1, 1, 0], [0, 1, 1], [1, 0, 1]]
    with pytest.raises(ParameterError, match="state 1 no next state"):
        allowed_transitions([[1, 1], [0, 0]], 2)
    with pytest.raises(ParameterError, match=r"Expected \(2, 2\)"):
        allowed_transitions(np.ones((3, 3)), 2)


def test_probabilities_that_do_not_add_up_are_refused():
    with pytest.raises(InputError, match=r"Row 1 of transition adds up to 0\.9"):
        Chain(np.array([1.0, 0.0]), np.array([[0.5, 0.5], [0.5, 0.4]]))
    with pytest.raises(InputError, match="below 0"):
        Chain(np.array([1.5, -0.5]), np.eye(2))
