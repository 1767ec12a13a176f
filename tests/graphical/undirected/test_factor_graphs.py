"""Two sweeps on trees against elimination and enumeration; Markov networks against the whole table."""

import numpy as np
import pytest
from tests.graphical.random_networks import assert_most_probable, enumerated, marginal, random_evidence

import learnt
from learnt.errors import InputError
from learnt.graphical import BayesianNetwork, Factor, FactorGraph, ImpossibleEvidence, MarkovNetwork


def random_polytree(seed, n=9):
    """Each variable after the first is tied to one before it, as its child or (while it has none) its parent."""
    rng = np.random.default_rng(seed)
    parents = {f"v{i}": [] for i in range(n)}
    for i in range(1, n):
        j = int(rng.integers(0, i))
        if rng.random() < 0.5 and len(parents[f"v{j}"]) < 3:
            parents[f"v{j}"].append(f"v{i}")
        else:
            parents[f"v{i}"].append(f"v{j}")
    states = {name: [f"s{k}" for k in range(int(rng.integers(2, 4)))] for name in parents}
    network = BayesianNetwork(parents, states)
    for name in parents:
        shape = [len(states[p]) for p in parents[name]]
        network.set_table(name, rng.dirichlet(np.ones(len(states[name])), size=shape))
    return network


@pytest.mark.parametrize("seed", range(12))
def test_two_sweeps_give_what_elimination_gives(seed):
    network = random_polytree(seed)
    graph = FactorGraph(network)
    assert graph.is_tree
    evidence = random_evidence(network, seed, share=0.25, soft=0.3)
    exact = network.infer(None, evidence, method="elimination")
    found = graph.marginals(evidence)
    for name, posterior in exact.items():
        np.testing.assert_allclose(found[name].probabilities, posterior.probabilities, atol=1e-12)
    table = enumerated(network, evidence)
    best = graph.max_product(evidence)
    assert_most_probable(best, network, evidence, table)


@pytest.mark.parametrize("seed", range(8))
def test_every_edge_carries_a_message_each_way(seed):
    graph = FactorGraph(random_polytree(seed))
    sent = graph.messages()
    assert len(sent) == 2 * len(graph.edges)
    assert len({(m.factor, m.variable, m.to_variable) for m in sent}) == len(sent)
    assert str(sent).count("→") == len(sent)


def test_a_long_chain_does_not_vanish():
    chain = [Factor({f"x{i}": "ab", f"x{i + 1}": "ab"}, [[1e-3, 1e-5], [1e-5, 2e-3]]) for i in range(400)]
    found = FactorGraph(chain).marginals({"x0": "a"})["x400"].probabilities
    exact = MarkovNetwork(chain).infer("x400", {"x0": "a"}).probabilities
    np.testing.assert_allclose(found, exact, atol=1e-12)


def test_a_loop_is_refused_in_words_and_answered_by_a_junction_tree():
    alike = [[2.0, 1.0], [1.0, 2.0]]
    loop = [Factor({a: "01", b: "01"}, alike) for a, b in ("ab", "bc", "ca")]
    graph = FactorGraph(loop)
    assert not graph.is_tree
    with pytest.raises(InputError, match="has a loop through"):
        graph.marginals()
    whole = np.einsum("ab,bc,ca->abc", *[np.array(alike)] * 3)
    np.testing.assert_allclose(graph.infer("a", {"b": "1"}).probabilities, whole[:, 1].sum(1) / whole[:, 1].sum())


@pytest.mark.parametrize("seed", range(6))
def test_markov_networks_answer_as_the_whole_table_does(seed):
    rng = np.random.default_rng(seed)
    states = {name: [f"s{k}" for k in range(int(rng.integers(2, 4)))] for name in "abcdef"}
    network, operands = MarkovNetwork(), []
    for _ in range(8):
        scope = rng.choice(6, int(rng.integers(1, 4)), replace=False)
        names = ["abcdef"[i] for i in scope]
        values = rng.random([len(states[n]) for n in names])
        network.add({n: states[n] for n in names}, values)
        operands += [values, list(map(int, scope))]
    used = [int("abcdef".index(n)) for n in network.variables]
    whole = np.einsum(*operands, used)
    np.testing.assert_allclose(network.log_z(), np.log(whole.sum()), rtol=1e-12)
    for v, name in enumerate(network.variables):
        np.testing.assert_allclose(network.infer(name).probabilities, marginal(whole, v) / whole.sum(), atol=1e-12)
        gibbs = network.infer(name, method="gibbs", n_samples=20_000)
        np.testing.assert_allclose(gibbs.probabilities, marginal(whole, v) / whole.sum(), atol=0.05)
    best = network.most_probable()
    place = tuple(network.states(n).index(best[n]) for n in network.variables)
    np.testing.assert_allclose(whole[place], whole.max(), rtol=1e-12)


def test_a_markov_network_is_saved_and_loaded(tmp_path):
    network = MarkovNetwork().add({"a": [1, 2], "b": ["x", "y", "z"]}, np.arange(6.0).reshape(2, 3))
    learnt.save(network, tmp_path / "network.learnt")
    again = learnt.load(tmp_path / "network.learnt")
    assert (again.infer("a", {"b": "y"}).probabilities == network.infer("a", {"b": "y"}).probabilities).all()
    with pytest.raises(ImpossibleEvidence):
        again.infer("a", {"b": "x", "a": 1})


def test_factors_that_disagree_about_states_are_refused():
    with pytest.raises(InputError, match="Make them the same"):
        MarkovNetwork().add({"a": "xy"}, [1, 2]).add({"a": "yx"}, [1, 2])
    with pytest.raises(InputError, match="below 0"):
        MarkovNetwork().add({"a": "xy"}, [1, -2])
