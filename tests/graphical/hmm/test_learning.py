"""Learning: the objective never falls, weights are repetitions, counts where states are known."""

import numpy as np
import pytest

import learnt
from learnt import HiddenMarkovModel, Table
from learnt.errors import ConvergenceWarning

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.{ConvergenceWarning.__name__}")


def mixed_table(seed=0, n=240, missing=0.15):
    """Three states that differ in numbers, counts and labels, with missing cells."""
    rng = np.random.default_rng(seed)
    states = np.repeat(rng.integers(3, size=n // 6 + 1), 6)[:n]
    x = rng.normal(states[:, None] * np.array([2.0, -1.0]), 1.0, size=(n, 2))
    x[rng.random(x.shape) < missing] = np.nan
    x[5] = np.nan
    counts = rng.poisson(1 + 3 * states).astype(float)
    labels = np.array(["low", "mid", "high"], dtype=object)[(states + (rng.random(n) < 0.2)) % 3]
    labels[rng.random(n) < missing] = None
    return {"a": x[:, 0], "b": x[:, 1], "n": counts, "label": labels.tolist()}


EMISSIONS = {
    "gaussian": {"n": "gaussian"},
    "poisson": {"n": "poisson"},
    "full": {"a": "full", "b": "full", "n": "poisson"},
    "mixture": {"a": "mixture", "b": "mixture"},
    "all": {"a": "full", "b": "mixture", "n": "poisson"},
}


@pytest.mark.parametrize("emissions", EMISSIONS.values(), ids=EMISSIONS)
@pytest.mark.parametrize("topology", ["any", "left-to-right", "cycle"])
def test_the_objective_never_falls(emissions, topology):
    model = HiddenMarkovModel(
        3, emissions=emissions, topology=topology, max_iter=25, tol=0, transition_smoothing=0.5, start_smoothing=0.5
    )
    model.fit(mixed_table(), lengths=[100, 60, 80])
    gains = np.diff(model.objectives_)
    assert len(gains) >= 2
    assert gains.min() > -1e-10 * abs(model.objectives_[0])
    if topology == "left-to-right":
        allowed = np.eye(3, dtype=bool) | np.eye(3, k=1, dtype=bool)
        assert (model.transition_[~allowed] == 0).all()
        assert model.start_.tolist() == [1, 0, 0]


def test_the_objective_is_the_log_likelihood_without_smoothing():
    table = mixed_table()
    model = HiddenMarkovModel(2, smoothing=0, max_iter=4, tol=0).fit(table)
    again = HiddenMarkovModel(2, smoothing=0, max_iter=5, tol=0).fit(table)
    assert model.score(table) == pytest.approx(again.objectives_[-1], rel=1e-12)
    assert model.log_likelihood_ == pytest.approx(model.log_likelihood(table)[0], rel=1e-12)


@pytest.mark.parametrize("emissions", EMISSIONS.values(), ids=EMISSIONS)
def test_a_weight_of_two_is_a_sequence_twice(emissions):
    table = Table(mixed_table(n=180))
    parts = [table.rows(0, 70), table.rows(70, 120), table.rows(120, 180)]
    start = HiddenMarkovModel(2, emissions=emissions, max_iter=1).fit(parts)
    settings = {"emissions": emissions, "init": start, "max_iter": 6, "tol": 0}
    weighted = HiddenMarkovModel(2, **settings).fit(parts, sample_weight=[2, 1, 0])
    repeated = HiddenMarkovModel(2, **settings).fit([parts[0], parts[0], parts[1]])
    np.testing.assert_allclose(weighted.transition_, repeated.transition_, rtol=1e-8)
    np.testing.assert_allclose(weighted.means_, repeated.means_, rtol=1e-8)
    np.testing.assert_allclose(weighted.objectives_, repeated.objectives_, rtol=1e-10)


def test_a_sequence_of_weight_zero_is_none_whatever_it_holds():
    table = mixed_table(n=120)
    known = np.arange(120) % 3 > 0
    far = {name: np.asarray(cells)[:4].copy() for name, cells in table.items()}
    for name, cells in far.items():
        far[name] = np.full(4, 1e7) if cells.dtype.kind == "f" else np.array(["ghost"] * 4)
    parts = {name: np.split(np.asarray(cells), [50]) for name, cells in table.items()}
    more = {name: np.concatenate([begin, far[name], end]) for name, (begin, end) in parts.items()}
    lengths, states = [50, 70], [known[:50], known[50:]]
    for y, whole in ((None, None), (known, np.concatenate([states[0], [True] * 4, states[1]]))):
        without = HiddenMarkovModel(2, random_state=0).fit(table, y, lengths=lengths)
        weighted = HiddenMarkovModel(2, random_state=0).fit(more, whole, sample_weight=[1, 0, 1], lengths=[50, 4, 70])
        np.testing.assert_array_equal(weighted.predict_proba(table), without.predict_proba(table))


def test_any_number_of_threads_gives_the_same_bits():
    rng = np.random.default_rng(0)
    x = rng.normal(np.repeat([0, 3, 0, 3, 1], 2000)[:, None], 1.0, size=(10_000, 3))
    before, found = learnt.threads(), []
    try:
        for n in (1, 2, 5):
            learnt.threads(n)
            model = HiddenMarkovModel(3, max_iter=4, tol=0).fit(x, lengths=[6000, 10, 3990])
            found.append((model.means_.tobytes(), model.transition_.tobytes(), model.smooth(x).tobytes()))
    finally:
        learnt.threads(before)
    assert found[0] == found[1] == found[2]


def test_known_states_are_counted():
    rows = {"seen": ["a", "a", "b", "a", "b", "b"], "state": ["x", "x", "y", "x", "y", "y"]}
    model = HiddenMarkovModel(smoothing=0).fit(rows, "state", lengths=[4, 2])
    assert model.states_.tolist() == ["x", "y"]
    np.testing.assert_allclose(model.start_, [0.5, 0.5])
    np.testing.assert_allclose(model.transition_, [[0.5, 0.5], [0.5, 0.5]])
    np.testing.assert_allclose(model.probabilities_["seen"], [[1, 0], [0, 1]])
    assert model.predict({"seen": ["a", "b"]}).tolist() == ["x", "y"]


def test_states_known_here_and_there_are_kept_and_the_rest_is_learnt():
    rng = np.random.default_rng(1)
    truth = np.repeat(["calm", "storm", "calm", "storm"], 50)
    x = rng.normal(np.where(truth == "calm", 0.0, 4.0), 1.0)[:, None]
    known = [s if i % 10 == 0 else None for i, s in enumerate(truth)]
    model = HiddenMarkovModel().fit(x, known)
    assert model.states_.tolist() == ["calm", "storm"]
    assert (model.predict(x) == truth).mean() > 0.97


def test_zeros_of_a_given_topology_stay_zeros():
    allowed = [[1, 1, 0], [0, 1, 1], [1, 0, 1]]
    model = HiddenMarkovModel(3, topology=allowed, transition_smoothing=1, max_iter=5).fit(mixed_table())
    assert (model.transition_[np.array(allowed) == 0] == 0).all()
    np.testing.assert_allclose(model.transition_.sum(axis=1), 1)
    assert model.n_parameters_ == 2 + 3 + 3 * (2 + 2 + 2 + 2)


def test_more_starts_are_never_worse():
    table = mixed_table(3)
    once, often = (HiddenMarkovModel(3, init="random", n_init=n, max_iter=30).fit(table) for n in (1, 4))
    assert often.objectives_[-1] >= once.objectives_[-1]


@pytest.mark.parametrize("emissions", ["gaussian", "full", "mixture"])
def test_a_state_never_collapses_onto_one_row(emissions):
    x = np.random.default_rng(0).normal(size=(60, 2))
    x[10] = 50.0
    model = HiddenMarkovModel(3, emissions=emissions, variance_floor=1e-3, max_iter=60).fit(x)
    assert np.isfinite(model.log_likelihood_)
    assert (model.variances_ > 0.99e-3 * x.var(axis=0)).all()


def test_it_finds_the_model_that_drew_the_rows():
    truth = HiddenMarkovModel.from_tables(
        [0.5, 0.5],
        [[0.95, 0.05], [0.1, 0.9]],
        {"means": [[0.0, 0.0], [2.0, 3.0]], "covariances": [[[1, 0.5], [0.5, 1]], [[2, -0.8], [-0.8, 1]]]},
    )
    rows, states = truth.sample(20_000, random_state=1)
    model = HiddenMarkovModel(2, emissions="full").fit(np.column_stack([c.values for c in rows.columns]))
    order = np.argsort(model.means_[:, 0])
    np.testing.assert_allclose(model.means_[order], truth.means_, atol=0.1)
    np.testing.assert_allclose(model.covariances_[order], truth.covariances_, atol=0.15)
    np.testing.assert_allclose(model.transition_[np.ix_(order, order)], truth.transition_, atol=0.02)
    assert np.bincount(states).tolist()[0] / 20_000 == pytest.approx(2 / 3, abs=0.05)
