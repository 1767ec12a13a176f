"""Building, checking, cutting and saving networks."""
# ruff: noqa: E501  (a wrong argument is one line)

import pickle

import numpy as np
import pytest
from tests.graphical.random_networks import joint_table, random_network

import learnt
from learnt.errors import InputError, SavedModelError
from learnt.graphical import BayesianNetwork


@pytest.fixture
def garden():
    network = BayesianNetwork().add("rain", table={"no": 0.8, "yes": 0.2})
    network.add("sprinkler", ["rain"], {"no": {"off": 0.6, "on": 0.4}, "yes": {"off": 0.99, "on": 0.01}})
    table = {
        ("off", "no"): [1.0, 0.0],
        ("off", "yes"): [0.2, 0.8],
        ("on", "no"): [0.1, 0.9],
        ("on", "yes"): [0.01, 0.99],
    }
    return network.add("grass", ["sprinkler", "rain"], table, ["dry", "wet"])


def test_tables_may_be_arrays_or_dicts_of_states(garden):
    assert garden.states("sprinkler") == ("off", "on")
    np.testing.assert_array_equal(garden.table("sprinkler").values, [[0.6, 0.4], [0.99, 0.01]])
    assert garden.table("grass")["on", "no", "wet"] == 0.9
    wet = 0.8 * 0.4 * 0.9 + 0.2 * (0.99 * 0.8 + 0.01 * 0.99)
    np.testing.assert_allclose(garden.infer("rain", {"grass": "wet"})["yes"], 0.2 * (0.99 * 0.8 + 0.01 * 0.99) / wet)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"name": "b", "parents": ["c"], "table": [0.5, 0.5], "states": "xy"}, "There is no variable 'c'"),
        ({"name": "b", "parents": ["b"], "table": [0.5, 0.5], "states": ["x"]}, "cannot be its own parent"),
        ({"name": "a", "table": [0.5, 0.5], "states": ["x", "y"]}, "a variable 'a' already"),
        ({"name": "b", "table": [0.5, 0.4], "states": ["x", "y"]}, "of 'b' add up to 0.9. Expected 1."),
        (
            {"name": "b", "parents": ["a"], "table": [[0.5, 0.5], [0.2, 0.9]], "states": ["x", "y"]},
            "of 'b' where a = 'yes' add up to 1.1",
        ),
        ({"name": "b", "table": [1.5, -0.5], "states": ["x", "y"]}, "has -0.5. Expected probabilities"),
        ({"name": "b", "table": [0.5, np.nan], "states": ["x", "y"]}, "has nan"),
        ({"name": "b", "table": [0.5, 0.5]}, "The states of 'b' are missing"),
        ({"name": "b", "table": [0.5, 0.5], "states": ["x", "x"]}, "the state 'x' twice"),
        ({"name": "b", "table": [], "states": []}, "'b' has no states"),
        ({"name": "b", "table": [0.5, 0.5], "states": ["x", None]}, "missing cell among its states"),
        ({"name": "b", "parents": ["a"], "table": [0.5, 0.5], "states": ["x", "y"]}, r"has the shape \(2,\). Expected \(2, 2\)"),
        ({"name": "b", "parents": ["a"], "table": {"no": [1, 0]}, "states": ["x", "y"]}, "says nothing of b = 'x' where a = 'yes'"),
        ({"name": "b", "parents": ["a"], "table": {"maybe": [1, 0]}, "states": ["x", "y"]}, "'a' has no state 'maybe'"),
        ({"name": "b", "parents": "a", "table": [1.0], "states": ["x"]}, "by a list of names"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_words(arguments, words):
    network = BayesianNetwork().add("a", table={"no": 0.5, "yes": 0.5})
    with pytest.raises(InputError, match=words):
        network.add(**arguments)
    assert network.variables == ("a",)


def test_cycles_are_shown():
    with pytest.raises(InputError, match="The edges form a cycle: a → b → c → a"):
        BayesianNetwork({"a": ["c"], "b": ["a"], "c": ["b"]}, {n: ["x", "y"] for n in "abc"})
    with pytest.raises(InputError, match="states of 'b' are missing"):
        BayesianNetwork({"a": [], "b": []}, {"a": ["x"]})
    with pytest.raises(InputError, match="'z', which is not a variable"):
        BayesianNetwork({"a": ["z"]})


def brute_force_independent(joint, a, b, given):
    """p(a, b | z) = p(a | z) p(b | z) for all z, in a joint table without accidents."""
    part = np.einsum(joint, range(joint.ndim), [a, b, *given]).reshape(joint.shape[a], joint.shape[b], -1)
    total = part.sum(axis=(0, 1))
    return np.allclose(part * total, part.sum(axis=1, keepdims=True) * part.sum(axis=0, keepdims=True), atol=1e-13)


@pytest.mark.parametrize("seed", range(15))
def test_d_separation_is_independence_in_the_joint_table(seed):
    network = random_network(seed, n=6, most_parents=2, most_states=2)
    joint, names = joint_table(network), network.variables
    rng = np.random.default_rng(seed)
    for _ in range(25):
        a, b, *given = rng.permutation(6)[: rng.integers(2, 6)]
        found = network.d_separated(names[a], names[b], [names[z] for z in given])
        assert bool(found) == brute_force_independent(joint, a, b, given)
        if not found:
            assert (found.trail[0], found.trail[-1]) == (names[a], names[b])
            for i, arrow in enumerate(found.arrows):
                left, right = found.trail[i : i + 2]
                parent, child = (left, right) if arrow == "→" else (right, left)
                assert parent in network.parents(child)
    for v, name in enumerate(names):
        blanket = [names.index(n) for n in network.markov_blanket(name)]
        others = [u for u in range(6) if u != v and u not in blanket]
        assert all(brute_force_independent(joint, v, u, blanket) for u in others)


def test_trails_are_told_in_words(garden):
    garden.add("slip", ["grass"], [[0.9, 0.1], [0.5, 0.5]], ["no", "yes"])
    garden = BayesianNetwork({"a": [], "b": [], "c": ["a", "b"], "d": ["c"]}, {n: ["x", "y"] for n in "abcd"})
    assert str(garden.d_separated("a", "b")) == "Separated: no trail between them is open."
    told = "Not separated given d: a → c ← b is open. Arrows meet in c, which is known or has a known descendant."
    assert str(garden.d_separated("a", "b", ["d"])) == told
    with pytest.raises(InputError, match="both sides"):
        garden.d_separated("a", ["a", "b"])


def test_intervening_cuts_the_arrows_from_parents(garden):
    seen = garden.infer("rain", {"sprinkler": "on"})["yes"]
    done = garden.do(sprinkler="on").infer("rain")["yes"]
    np.testing.assert_allclose([seen, done], [0.2 * 0.01 / (0.2 * 0.01 + 0.8 * 0.4), 0.2])
    assert garden.parents("sprinkler") == ("rain",)


def test_samples_have_the_probabilities_of_the_network():
    network = random_network(2, n=5)
    rows = network.sample(40_000, random_state=1)
    joint = joint_table(network)
    counts = np.zeros(joint.shape)
    np.add.at(counts, tuple(rows[n].values for n in network.variables), 1)
    expected = joint * 40_000
    chi2 = ((counts - expected)[expected > 0] ** 2 / expected[expected > 0]).sum()
    assert chi2 < joint.size + 6 * np.sqrt(2 * joint.size)
    given = {network.variables[-1]: network.states(network.variables[-1])[0]}
    drawn = network.sample(4000, evidence=given, random_state=2)
    for name, posterior in network.infer(None, given).items():
        share = np.bincount(drawn[name].values, minlength=len(posterior.probabilities)) / 4000
        np.testing.assert_allclose(share, posterior.probabilities, atol=0.05)
    assert (network.sample(5, random_state=3)["v0"].values == network.sample(5, random_state=3)["v0"].values).all()


def test_the_log_likelihood_sums_over_missing_cells(garden):
    joint = joint_table(garden)
    rows = {"rain": ["yes", None, "no"], "sprinkler": ["on", "on", None], "grass": ["wet", "wet", None]}
    expected = np.log([joint[1, 1, 1], joint[:, 1, 1].sum(), joint[0].sum()])
    np.testing.assert_allclose(garden.log_likelihood(rows), expected, rtol=1e-12)
    np.testing.assert_allclose(garden.score(rows, [1, 1, 2]), (expected * [1, 1, 2]).sum() / 4)
    with pytest.raises(InputError, match="has 'damp' in row 1, which is not a state of it"):
        garden.log_likelihood({"grass": ["wet", "damp"]})


def test_a_network_is_saved_pickled_and_copied(garden, tmp_path):
    garden.infer("rain")
    learnt.save(garden, tmp_path / "garden.learnt")
    for again in (learnt.load(tmp_path / "garden.learnt"), pickle.loads(pickle.dumps(garden)), garden.copy()):
        assert again.structure == garden.structure
        for name in garden.variables:
            assert (again.table(name).values == garden.table(name).values).all()
        assert (
            again.infer("rain", {"grass": "wet"}).probabilities == garden.infer("rain", {"grass": "wet"}).probabilities
        ).all()


def test_a_saved_network_with_wrong_tables_is_refused(garden, tmp_path):
    from dataclasses import replace

    garden._nodes["rain"] = replace(garden._nodes["rain"], table=np.array([0.9, 0.9]))
    learnt.save(garden, tmp_path / "wrong.learnt")
    with pytest.raises(SavedModelError, match=r"add up to 1\.8"):
        learnt.load(tmp_path / "wrong.learnt")


def test_it_shows_itself_as_a_table(garden):
    assert str(garden).splitlines() == [
        "BayesianNetwork(3 variables, 3 edges)",
        "variable   states  parents",
        "rain            2  –",
        "sprinkler       2  rain",
        "grass           2  sprinkler, rain",
    ]
    assert garden.n_parameters == 1 + 2 + 4


def test_interventions_take_states_dicts_and_distributions_and_nothing_else():
    network = BayesianNetwork().add("rain", table={"no": 0.8, "yes": 0.2})
    network.add("wet grass", ["rain"], [[0.9, 0.1], [0.2, 0.8]], ["no", "yes"])
    network.add("slip", ["wet grass"], [[0.99, 0.01], [0.9, 0.1]], ["no", "yes"])
    assert network.do({"wet grass": "yes"}).infer("rain")["yes"] == pytest.approx(0.2)  # no way back to causes
    assert network.do({"wet grass": "yes"}).infer("slip")["yes"] == pytest.approx(0.1)
    drawn = network.do({"wet grass": [0.5, 0.5]}, rain="yes")
    assert drawn.infer("slip")["yes"] == pytest.approx(0.055)
    assert drawn.parents("wet grass") == ()
    with pytest.raises(InputError, match="sets 'rain' to None"):
        network.do(rain=None)
    with pytest.raises(InputError, match=r"add up to 1\.5"):
        network.do(rain=[0.5, 1.0])
    with pytest.raises(InputError, match="no state 'maybe'"):
        network.do(rain="maybe")
