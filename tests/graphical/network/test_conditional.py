"""Rows drawn given evidence, against the joint table."""

import numpy as np
import pytest
from scipy import stats
from tests.graphical.random_networks import enumerated, random_network

from learnt.graphical import BayesianNetwork, ImpossibleEvidence


@pytest.mark.parametrize("soft", [False, True])
def test_rows_come_as_often_as_the_evidence_leaves_them(soft):
    network = random_network(9, n=4, zeros=0.2)
    last = network.variables[-1]
    count = len(network.states(last))
    evidence = {last: list(np.arange(1.0, count + 1))} if soft else {last: network.states(last)[0]}
    table = enumerated(network, evidence)
    rows = network.sample(5000, evidence=evidence)
    codes = [[network.states(n).index(s) for s in rows[n].labels()] for n in network.variables]
    counts = np.bincount(np.ravel_multi_index(codes, table.shape), minlength=table.size)
    expected = 5000 * (table / table.sum()).ravel()
    assert (counts[expected == 0] == 0).all()
    if (expected > 0).sum() > 1:
        assert stats.chisquare(counts[expected > 0], expected[expected > 0]).pvalue > 1e-4


def test_nothing_is_drawn_from_what_is_impossible():
    network = BayesianNetwork().add("a", table={"no": 1.0, "yes": 0.0})
    with pytest.raises(ImpossibleEvidence):
        network.add("b", ["a"], [[1, 0], [0, 1]], ["no", "yes"]).sample(3, evidence={"b": "yes"})
