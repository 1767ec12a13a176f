"""Every exact method against enumeration, over random networks, evidence and soft evidence."""

import itertools

import numpy as np
import pytest
from tests.graphical.random_networks import (
    assert_most_probable,
    enumerated,
    joint_table,
    marginal,
    random_evidence,
    random_network,
)

from learnt.errors import InputError, ParameterError
from learnt.graphical import BayesianNetwork, ImpossibleEvidence


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("method", ["junction", "elimination"])
def test_posteriors_are_those_of_enumeration(seed, method):
    network = random_network(seed, zeros=0.2 if seed % 3 == 0 else 0.0)
    evidence = random_evidence(network, seed, soft=0.5 if seed % 2 else 0.0)
    table = enumerated(network, evidence)
    if table.sum() == 0:
        with pytest.raises(ImpossibleEvidence):
            network.infer(None, evidence, method=method)
        return
    for v, name in enumerate(network.variables):
        found = network.infer(name, evidence, method=method)
        np.testing.assert_allclose(found.probabilities, marginal(table, v) / table.sum(), atol=1e-12)
        np.testing.assert_allclose(found.log_evidence, np.log(table.sum()), atol=1e-11)
    for a, b, c in itertools.islice(itertools.permutations(range(len(network.variables)), 3), 0, 120, 17):
        names = [network.variables[v] for v in (a, b, c)]
        found = network.infer(names, evidence, method=method, joint=True)
        np.testing.assert_allclose(found.probabilities, marginal(table, a, b, c) / table.sum(), atol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_the_most_probable_states_are_those_of_enumeration(seed):
    network = random_network(seed)
    evidence = random_evidence(network, seed, soft=0.3)
    table = enumerated(network, evidence)
    found = network.most_probable(evidence)
    assert_most_probable(found, network, evidence, table)
    pair = network.variables[1:3]
    part = marginal(table, 1, 2)
    asked = network.most_probable(evidence, query=pair)
    place = tuple(network.states(n).index(asked[n]) for n in pair)
    np.testing.assert_allclose(part[place], part.max(), rtol=1e-12)
    np.testing.assert_allclose(asked.probability, part.max() / part.sum(), rtol=1e-10)


def test_a_table_of_evidence_gives_the_answers_of_its_rows():
    network = random_network(3, n=7)
    rows = [random_evidence(network, seed, share=0.5) for seed in range(40)]
    table = {n: [row.get(n) for row in rows] for n in network.variables}
    found = network.infer(["v0", "v1"], table)
    for name in ("v0", "v1"):
        for i, row in enumerate(rows):
            without = {n: s for n, s in row.items() if n not in ("v0", "v1")}
            np.testing.assert_allclose(found[name][i], network.infer(name, without).probabilities, atol=1e-12)
    filled = network.most_probable(table)
    for i, row in enumerate(rows):
        best = {**network.most_probable(row), **row}
        cells = {n: filled[n].labels()[i] for n in network.variables}
        codes = lambda states: tuple(network.states(n).index(states[n]) for n in network.variables)  # noqa: E731
        joint = joint_table(network)
        np.testing.assert_allclose(joint[codes(cells)], joint[codes(best)], rtol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_loopy_messages_are_exact_on_polytrees(seed):
    network = random_network(seed, n=8, most_parents=1)
    evidence = random_evidence(network, seed, share=0.3, soft=0.3)
    exact = network.infer(None, evidence)
    for name, found in network.infer(None, evidence, method="loopy").items():
        np.testing.assert_allclose(found.probabilities, exact[name].probabilities, atol=1e-9)


@pytest.mark.parametrize("method", ["weighting", "gibbs"])
@pytest.mark.parametrize("seed", [1, 2])
def test_samples_come_near_the_exact_answer(seed, method):
    network = random_network(seed, n=7)
    evidence = random_evidence(network, seed, share=0.2, soft=0.3)
    exact = network.infer(None, evidence)
    found = network.infer(None, evidence, method=method, n_samples=20_000)
    for name, answer in found.items():
        off = np.abs(answer.probabilities - exact[name].probabilities)
        assert (off <= 5 * answer.error + 1e-3).all()


def test_impossible_evidence_names_the_findings_that_contradict_each_other():
    network = BayesianNetwork().add("a", table={"no": 0.5, "yes": 0.5})
    network.add("b", ["a"], [[1, 0], [0, 1]], ["no", "yes"]).add("c", ["b"], [[0.5, 0.5], [0.2, 0.8]], ["no", "yes"])
    network.add("d", table={"x": 1, "y": 0})
    with pytest.raises(ImpossibleEvidence, match="a = 'no' and b = 'yes' cannot be true together") as caught:
        network.infer("c", {"d": "x", "a": "no", "b": "yes"})
    assert caught.value.conflict == ("a", "b")
    with pytest.raises(ImpossibleEvidence, match="d = 'y' has the probability 0"):
        network.infer("a", {"d": "y", "c": "no"})
    for method in ("elimination", "loopy"):
        with pytest.raises(ImpossibleEvidence):
            network.infer("c", {"a": "no", "b": "yes"}, method=method)
    assert np.isnan(network.infer("c", {"a": ["no", "no"], "b": ["yes", "no"]})).all(axis=1).tolist() == [True, False]


def test_a_network_too_wide_is_refused_before_memory_is_taken():
    rng = np.random.default_rng(0)
    wide = BayesianNetwork()
    for i in range(50):
        wide.add(f"c{i}", table=[0.5, 0.5], states=["no", "yes"])
    for i in range(300):
        pair = [f"c{j}" for j in rng.choice(50, 2, replace=False)]
        wide.add(f"e{i}", pair, rng.dirichlet([1, 1], (2, 2)), ["no", "yes"])
    evidence = {f"e{i}": "no" for i in range(300)}
    assert wide.width().width > 20
    with pytest.raises(InputError, match=r"The width is \d+: .* More than 1 MB are not taken"):
        wide.infer("c0", evidence, memory=2**20)
    found = wide.infer("c0", {"e0": "no"}, method="weighting", n_samples=2000)
    assert 0 < found["no"] < 1


def test_wrong_questions_are_refused_in_words():
    network = BayesianNetwork().add("a", table={"no": 0.5, "yes": 0.5})
    with pytest.raises(InputError, match=r"There is no variable 'b'\. The variables are 'a'\."):
        network.infer("b")
    with pytest.raises(InputError, match=r"'a' has no state 'maybe'\. Its states are 'no' and 'yes'\."):
        network.infer("a", {"a": "maybe"})
    with pytest.raises(InputError, match="likelihood 0"):
        network.infer("a", {"a": [0.0, 0.0]})
    with pytest.raises(InputError, match="3 likelihoods"):
        network.infer("a", {"a": [0.1, 0.2, 0.3]})
    with pytest.raises(ParameterError, match="method='magic'"):
        network.infer("a", method="magic")
    with pytest.raises(InputError, match="no variables yet"):
        BayesianNetwork().infer("a")


def test_many_queries_use_the_same_tree():
    network = random_network(5)
    network.infer("v0")
    tree = network._compiled.tree()
    network.infer("v1", {"v0": "s0"})
    assert network._compiled.tree() is tree
    name = network.variables[0]
    network.set_table(name, np.eye(len(network.states(name)))[0])
    assert network.infer(name)["s0"] == 1
