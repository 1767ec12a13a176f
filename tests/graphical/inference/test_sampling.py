"""Rows drawn from networks against their tables."""

import numpy as np
from scipy import stats
from tests.graphical.random_networks import joint_table, random_network

from learnt.graphical.inference.evidence import findings_of
from learnt.graphical.inference.sampling import CHAINS, draw_rows, draw_states, gibbs_answer


def test_rows_are_drawn_as_often_as_the_joint_table_says():
    network = random_network(6, n=4, zeros=0.2)
    table = joint_table(network)
    rows, log_weights = draw_rows(network._compiled, network._order, 20_000, np.random.default_rng(0))
    codes = np.ravel_multi_index(tuple(rows.T), table.shape)
    counts, expected = np.bincount(codes, minlength=table.size), 20_000 * table.ravel()
    assert (counts[expected == 0] == 0).all()
    assert (log_weights == 0).all()
    some = expected > 0
    assert stats.chisquare(counts[some], expected[some]).pvalue > 1e-4


def test_weights_are_the_probabilities_of_the_states_seen():
    network = random_network(7, n=5)
    name = network.variables[-1]
    state = network.states(name)[0]
    seen = findings_of(network._compiled, {name: state})
    rows, log_weights = draw_rows(network._compiled, network._order, 50_000, np.random.default_rng(0), seen.codes)
    weights = np.exp(log_weights)
    assert abs(weights.mean() - network.infer(name)[state]) < 5 * weights.std() / np.sqrt(50_000) + 1e-9
    assert (rows[:, network.variables.index(name)] == 0).all()


def test_a_state_of_probability_zero_is_never_drawn():
    drawn = draw_states(np.array([0.0, 0.3, 0.7, 0.0]), 10_000, np.random.default_rng(0))
    assert set(drawn.tolist()) == {1, 2}


def test_chains_that_stand_at_impossible_states_do_not_count():
    from learnt.graphical import MarkovNetwork

    same = MarkovNetwork().add({"a": "xyz", "b": "xyz"}, np.eye(3))  # no single step leads from one state to another
    start = np.array([[0, 0]] * 30 + [[1, 1]] * 70, np.int32)
    assert len(start) == CHAINS
    seen = findings_of(same._compiled, None)
    found = gibbs_answer(same._compiled, start, seen, 500, np.random.default_rng(0), [(0,), (0, 1)])
    np.testing.assert_allclose(found.shares[0], [0.3, 0.7, 0.0])
    np.testing.assert_allclose(found.shares[1], np.diag([0.3, 0.7, 0.0]))
