"""Tables from rows: counts, priors, weights, and EM, whose likelihood never falls."""

import warnings

import numpy as np
import pytest
from tests.graphical.random_networks import random_network

import learnt
from learnt.errors import InputError
from learnt.graphical import BayesianNetwork

TENNIS = {
    "sky": ["sun", "sun", "rain", "rain", "rain"],
    "wind": ["low", "high", "low", None, "high"],
    "play": ["yes", "yes", "yes", "no", "no"],
}
STRUCTURE = {"sky": [], "wind": [], "play": ["sky", "wind"]}


def test_maximum_likelihood_is_counting():
    network = BayesianNetwork(STRUCTURE).fit(TENNIS)
    assert network.states("sky") == ("rain", "sun")
    np.testing.assert_allclose(network.table("sky").values, [3 / 5, 2 / 5])
    np.testing.assert_allclose(network.table("wind").values, [1 / 2, 1 / 2])  # the missing cell is left out
    np.testing.assert_allclose(network.table("play")["rain", "high", "no"], 1)
    np.testing.assert_allclose(network.table("play")["sun", "low", "yes"], 1)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [({"prior": "k2"}, 4 / 7), ({"prior": "bdeu", "equivalent_sample_size": 4}, 5 / 9), ({"prior": 0.5}, 3.5 / 6)],
)
def test_priors_add_to_the_counts(settings, expected):
    network = BayesianNetwork(STRUCTURE).fit(TENNIS, **settings)
    np.testing.assert_allclose(network.table("sky")["rain"], expected)
    assert network.table("play").values.min() > 0


def test_a_weight_of_two_is_a_row_twice():
    codes = np.random.default_rng(0).integers(-1, 2, (30, 3)).astype(np.int32)
    weights = np.random.default_rng(1).integers(0, 3, 30).astype(float)
    structure, states = {"a": [], "b": ["a"], "c": ["a", "b"]}, {n: ["x", "y"] for n in "abc"}
    for settings in ({}, {"method": "em", "tol": 0, "max_iter": 5}):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # five steps are too few
            one = BayesianNetwork(structure, states).fit_codes(codes, weights, **settings)
            two = BayesianNetwork(structure, states).fit_codes(
                np.repeat(codes, weights.astype(int), axis=0), **settings
            )
        for name in "abc":
            np.testing.assert_allclose(one.table(name).values, two.table(name).values, atol=1e-12)


def weighed_rows(n=60):
    rng = np.random.default_rng(2)
    rows = {"a": rng.choice(["x", "y"], n).astype(object), "b": rng.choice([True, False], n), "c": rng.normal(size=n)}
    weights = rng.integers(0, 4, n)
    rows["a"][weights == 0], rows["c"][weights == 0] = "ghost", 1e7  # what only rows of weight 0 have
    return rows, weights


@pytest.mark.parametrize("method", ["counts", "em"])
def test_rows_are_cut_and_counted_by_their_weights_and_those_of_weight_zero_are_none(method):
    rows, weights = weighed_rows()
    copies = {name: np.repeat(cells, weights) for name, cells in rows.items()}
    structure = {"a": [], "b": ["a"], "c": ["b"]}
    one = BayesianNetwork(structure).fit(rows, n_bins=3, method=method, sample_weight=weights)
    two = BayesianNetwork(structure).fit(copies, n_bins=3, method=method)
    for name in structure:
        assert one.states(name) == two.states(name)
        np.testing.assert_allclose(one.table(name).values, two.table(name).values, atol=1e-12)


def test_parents_never_seen_together_leave_the_states_equally_probable():
    network = BayesianNetwork({"a": [], "b": ["a"]}, {"a": ["x", "y", "z"], "b": [1, 2]})
    network.fit({"a": ["x", "x", "y"], "b": [1, 1, 2]})
    np.testing.assert_array_equal(network.table("b").values, [[1, 0], [0, 1], [0.5, 0.5]])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("prior", [None, "bdeu"])
def test_the_likelihood_never_falls_in_em(seed, prior):
    truth = random_network(seed, n=6)
    rows = truth.sample(300, random_state=seed)
    rng = np.random.default_rng(seed)
    codes = np.column_stack([np.where(rng.random(300) < 0.3, -1, rows[n].values) for n in truth.variables]).astype(
        np.int32
    )
    codes[:, 2] = -1  # never seen
    network = BayesianNetwork(truth.structure, {n: truth.states(n) for n in truth.variables})
    network.fit_codes(codes, method="em", prior=prior, tol=1e-7, max_iter=500)
    steps = np.diff(network.log_likelihoods_)
    assert len(steps) > 1
    assert (steps >= -1e-12).all()
    if prior is None:
        found = network.log_evidence_of_codes(codes).mean()
        np.testing.assert_allclose(found, network.log_likelihoods_[-1], rtol=1e-9)


def test_em_without_missing_cells_is_counting():
    truth = random_network(1, n=5)
    rows = truth.sample(400)
    states = {n: truth.states(n) for n in truth.variables}
    counted = BayesianNetwork(truth.structure, states).fit(rows, prior=1.0)
    climbed = BayesianNetwork(truth.structure, states).fit(rows, method="em", prior=1.0, tol=1e-12)
    for name in truth.variables:
        np.testing.assert_allclose(climbed.table(name).values, counted.table(name).values, atol=1e-9)


def test_a_hidden_class_is_found_by_em():
    rng = np.random.default_rng(0)
    hidden = rng.integers(0, 2, 2000)
    table = {f"x{i}": np.where(rng.random(2000) < 0.1, 1 - hidden, hidden).astype(str) for i in range(5)}
    structure = {"class": [], **{n: ["class"] for n in table}}
    network = BayesianNetwork(structure, {"class": ["a", "b"], **{n: ["0", "1"] for n in table}})
    network.fit(table, method="em", n_starts=2)
    found = network.infer("class", table)[:, 0] > 0.5
    assert max((found == hidden).mean(), (found != hidden).mean()) > 0.97


def test_numbers_are_cut_into_intervals_and_that_is_said(tmp_path):
    rng = np.random.default_rng(0)
    height = rng.normal(170, 10, 500)
    size = np.where(height > 172, "L", "S")
    height[::50] = np.nan
    network = BayesianNetwork({"height": [], "size": ["height"]}).fit({"height": height, "size": size}, n_bins=4)
    assert len(network.states("height")) == 4
    assert str(network.notes_[0]) == "Column 'height' is cut into intervals of equally many rows, as by a Discretizer."
    assert network.infer("size", {"height": 190.0})["L"] == 1
    found = network.infer("size", {"height": np.array([150.0, 190.0, np.nan], dtype=object)})
    np.testing.assert_allclose(found[:2], [[0, 1], [1, 0]])
    learnt.save(network, tmp_path / "cut.learnt")
    again = learnt.load(tmp_path / "cut.learnt")
    assert again.log_likelihood({"height": [150.0], "size": ["S"]}) == network.log_likelihood(
        {"height": [150.0], "size": ["S"]}
    )
    assert network.do(height=150.0).infer("size")["S"] == 1


def test_hostile_rows_are_refused_or_endured():
    network = BayesianNetwork(STRUCTURE)
    with pytest.raises(InputError, match="no column 'play'"):
        network.fit({"sky": ["a"], "wind": ["b"]})
    with pytest.raises(InputError, match="only missing cells"):
        network.fit({"sky": [None, None], "wind": ["b", "b"], "play": ["c", "c"]})
    one = network.fit({"sky": ["a"], "wind": ["b"], "play": ["c"]})
    assert one.infer("play")["c"] == 1
    states = {"sky": ["sun", "rain"], "wind": ["low", "high"], "play": ["yes", "no"]}
    blank = {n: [None, None] for n in states}
    for method in ("counts", "em"):
        empty = BayesianNetwork(STRUCTURE, states).fit(blank, method=method)
        np.testing.assert_allclose(sum(empty.infer("play").probabilities), 1)
    known = BayesianNetwork(STRUCTURE, {**states, "sky": ["sun", "rain", "snow"]}).fit(TENNIS)
    assert known.infer("sky")["snow"] == 0  # a state that never occurs
