"""Questions at the edge of what numbers hold, and of what each method can say."""

import math

import numpy as np
import pytest
from tests.graphical.random_networks import enumerated, marginal, random_evidence, random_network

from learnt.errors import ParameterError
from learnt.graphical import BayesianNetwork, Factor, FactorGraph, ImpossibleEvidence, MarkovNetwork


def star(rays):
    """One cause with many effects: the product of what they say is below every number."""
    network = BayesianNetwork().add("cause", table={"a": 0.5, "b": 0.5})
    for i in range(rays):
        network.add(f"x{i}", ["cause"], states=["p", "q"], table=[[0.01, 0.99], [0.011, 0.989]])
    return network, {f"x{i}": "p" for i in range(rays)}


@pytest.mark.parametrize("method", ["junction", "elimination", "loopy"])
def test_many_improbable_findings_are_not_impossible(method):
    network, evidence = star(250)
    odds = 1.1**250
    found = network.infer("cause", evidence, method=method)
    np.testing.assert_allclose(found["a"], 1 / (1 + odds), rtol=1e-9)
    if method != "loopy":
        exact = 250 * math.log(0.01) + math.log(0.5) + math.log1p(odds)
        np.testing.assert_allclose(found.log_evidence, exact, rtol=1e-12)
    assert found.title.endswith("x11 = 'p' and 238 more)")
    assert network.most_probable(evidence, query=["cause"])["cause"] == "b"
    assert FactorGraph(network).max_product(evidence)["cause"] == "b"
    np.testing.assert_allclose(FactorGraph(network).marginals(evidence)["cause"]["a"], 1 / (1 + odds), rtol=1e-9)


@pytest.mark.parametrize("method", ["junction", "elimination", "loopy"])
@pytest.mark.parametrize("logs", [False, True])
def test_factors_may_be_as_large_as_numbers_get(method, logs):
    small = np.array([[1.0, 0.1], [0.1, 2.0]])
    values = np.log(small) + 5000 if logs else small * 1e150
    chain = [Factor({f"x{i}": "ab", f"x{i + 1}": "ab"}, values, logs=logs) for i in range(5)]
    share = np.linalg.matrix_power(small, 5).sum(axis=1)
    network = MarkovNetwork(chain)
    np.testing.assert_allclose(network.infer("x0", method=method).probabilities, share / share.sum(), rtol=1e-9)
    np.testing.assert_allclose(FactorGraph(chain).marginals()["x0"].probabilities, share / share.sum(), rtol=1e-9)
    scale = 5 * (5000 if logs else math.log(1e150))
    np.testing.assert_allclose(network.log_z(), math.log(share.sum()) + scale, rtol=1e-12)
    np.testing.assert_allclose(network.most_probable().log_joint, 5 * math.log(2) + scale, rtol=1e-12)
    np.testing.assert_allclose(FactorGraph(chain).max_product().log_joint, 5 * math.log(2) + scale, rtol=1e-12)


@pytest.mark.parametrize("method", ["weighting", "gibbs"])
def test_combinations_are_drawn_too(method):
    network = random_network(2, n=5)
    evidence = random_evidence(network, 1, share=0.2)
    table = enumerated(network, evidence)
    found = network.infer(["v0", "v3"], evidence, joint=True, method=method, n_samples=20_000)
    place = [network.variables.index(n) for n in ("v0", "v3")]
    exact = marginal(table, *place) / table.sum()
    assert found.method == method
    assert (np.abs(found.probabilities - exact) <= 5 * found.error + 1e-3).all()
    np.testing.assert_allclose(found.probabilities.sum(), 1, rtol=1e-12)


def test_loopy_propagation_does_not_answer_for_combinations():
    network = random_network(2, n=5)
    with pytest.raises(ParameterError, match="not those of combinations"):
        network.infer(["v0", "v3"], joint=True, method="loopy")


@pytest.mark.parametrize("method", ["weighting", "gibbs"])
def test_samples_of_impossible_evidence_are_refused_with_the_findings(method):
    network = BayesianNetwork().add("a", table={"no": 0.5, "yes": 0.5})
    network.add("b", ["a"], [[1, 0], [0, 1]], ["no", "yes"]).add("c", ["b"], [[0.5, 0.5], [0.2, 0.8]], ["no", "yes"])
    with pytest.raises(ImpossibleEvidence, match="a = 'no' and b = 'yes' cannot be true together"):
        network.infer("c", {"a": "no", "b": "yes"}, method=method)


def test_columns_of_booleans_are_rows_of_evidence():
    network = BayesianNetwork().add("a", states=[False, True], table=[0.5, 0.5])
    network.add("b", ["a"], states=[False, True], table=[[0.1, 0.9], [0.8, 0.2]])
    for column in ([True, False, None], np.array([True, False])):
        found = network.infer("b", {"a": column})
        np.testing.assert_allclose(found[:2], [[0.8, 0.2], [0.1, 0.9]])


def test_factor_graphs_know_where_numbers_are_cut():
    rng = np.random.default_rng(0)
    age = rng.normal(40, 10, 300)
    network = BayesianNetwork({"age": [], "buys": ["age"]}).fit({"age": age, "buys": np.where(age > 40, "yes", "no")})
    graph = FactorGraph(network)
    for value in (20.0, 40.0, 60.0):
        np.testing.assert_allclose(
            graph.marginals({"age": value})["buys"].probabilities, network.infer("buys", {"age": value}).probabilities
        )
