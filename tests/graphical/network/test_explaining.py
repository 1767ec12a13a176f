"""Parts of a posterior that add up, and trails that are open."""

import numpy as np
import pytest
from tests.graphical.random_networks import random_evidence, random_network

from learnt.errors import InputError
from learnt.graphical import BayesianNetwork


@pytest.mark.parametrize("seed", range(12))
def test_the_parts_add_up_to_the_log_odds(seed):
    network = random_network(seed, n=7, most_states=3)
    query = next(n for n in network.variables if len(network.states(n)) > 1)
    evidence = random_evidence(network, seed, share=0.5, soft=0.3)
    evidence.pop(query, None)
    found = network.explain(query, evidence)
    p = network.infer(query, evidence)[found.prediction]
    np.testing.assert_allclose(found.add_up(), np.log(p / (1 - p)), atol=1e-9)
    np.testing.assert_allclose(found.total, found.add_up(), atol=1e-9)
    prior = network.infer(query)[found.prediction]
    np.testing.assert_allclose(found.base, np.log(prior / (1 - prior)), atol=1e-9)
    for part in found.evidence:
        others = [n for n in evidence if n != part.column]
        if network.d_separated(part.column, query, others):
            assert "no open trail" in part.words


def test_one_finding_gives_its_likelihood_ratio():
    network = BayesianNetwork().add("ill", table={"no": 0.992, "yes": 0.008})
    network.add("test", ["ill"], [[0.97, 0.03], [0.02, 0.98]], ["−", "+"])
    found = network.explain("ill", {"test": "+"}, "yes")
    np.testing.assert_allclose(found.evidence[0].contribution, np.log(0.98 / 0.03))
    assert found.evidence[0].words == "alone ×32.7; by test ← ill"
    assert "0.8 % before, 20.9 % after" in found.total_words


def test_many_findings_are_taken_in_their_order():
    structure = {"c": [], **{f"x{i}": ["c"] for i in range(14)}}
    network = BayesianNetwork(structure, {n: ["a", "b"] for n in structure})
    network.set_table("c", [0.5, 0.5])
    for i in range(14):
        network.set_table(f"x{i}", [[0.6, 0.4], [0.3, 0.7]])
    found = network.explain("c", {f"x{i}": "b" for i in range(14)}, "b")
    np.testing.assert_allclose([e.contribution for e in found.evidence], np.log(0.7 / 0.4))


def test_zeros_do_not_break_the_sum():
    network = BayesianNetwork().add("a", table={"no": 0.5, "yes": 0.5})
    network.add("b", ["a"], [[1, 0], [0, 1]], ["no", "yes"])
    found = network.explain("a", {"b": "yes"})
    assert found.prediction == "yes"
    assert np.isfinite(found.total)
    with pytest.raises(InputError, match="no variable 'z'"):
        network.explain("z", {})
