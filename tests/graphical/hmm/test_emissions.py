"""What states emit, against SciPy's distributions."""

import numpy as np
import pytest
from scipy import stats

from learnt.graphical import HiddenMarkovModel
from learnt.graphical.hmm.emissions import padded_states


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    state = np.repeat(rng.integers(0, 2, 40), 5)
    table = {
        "x": np.where(rng.random(200) < 0.1, np.nan, rng.normal(4 * state, 1)),
        "n": rng.poisson(2 + 6 * state).astype(float),
        "label": np.array(["a", "b", "c"])[np.where(rng.random(200) < 0.7, state, 2)],
    }
    model = HiddenMarkovModel(2, emissions={"n": "poisson"}).fit(table)
    return model, table, model._given(table, None, None, None)[1]


def by_scipy(model, table, counts_too):
    logs = np.zeros((200, 2))
    labels = model._schema.columns[2].categories
    for k in range(2):
        x = stats.norm.logpdf(table["x"], model.means_[k, 0], np.sqrt(model.variances_[k, 0]))
        rate = model.means_[k, 1]
        n = stats.poisson.logpmf(table["n"], rate)
        n = (
            n
            if counts_too
            else n + np.array([stats.poisson.logpmf(0, 0) + np.log(np.arange(1, y + 1)).sum() for y in table["n"]])
        )
        p = model.probabilities_["label"]
        p = p if p.shape[0] == 2 else p.T
        logs[:, k] = np.nan_to_num(x) + n + np.log([p[k, labels.index(c)] for c in table["label"]])
    return logs


def test_evidence_is_the_sum_of_log_densities_and_missing_cells_say_nothing(fitted):
    model, table, cells = fitted
    out = np.empty((200, padded_states(2)))
    model._emissions.fill_evidence(cells, None, out, None)
    np.testing.assert_allclose(out[:, :2], by_scipy(model, table, False), rtol=1e-9)
    assert (out[:, 2:] == -np.inf).all()


def test_a_known_state_makes_all_others_impossible(fitted):
    model, table, cells = fitted
    known = np.full(200, -1)
    known[[3, 7]] = [1, 0]
    out = np.empty((200, padded_states(2)))
    model._emissions.fill_evidence(cells, known, out, None)
    exact = by_scipy(model, table, False)
    assert out[3, 0] == out[7, 1] == -np.inf
    np.testing.assert_allclose([out[3, 1], out[7, 0], *out[8, :2]], [exact[3, 1], exact[7, 0], *exact[8]], rtol=1e-9)


def test_the_terms_of_a_row_add_up_to_its_log_density(fitted):
    model, table, cells = fitted
    exact = by_scipy(model, table, True)
    for i in range(0, 200, 17):
        terms = model._emissions.terms(model._layout, cells, i)
        assert sorted(j for places, _ in terms for j in places) == [0, 1, 2]
        np.testing.assert_allclose(sum(logs for _, logs in terms), exact[i], rtol=1e-9)


def test_cells_are_drawn_as_the_states_emit_them(fitted):
    model, _, _ = fitted
    drawn = model._emissions.draw(np.random.default_rng(1), np.repeat([0, 1], 5000), model._layout)
    for k in range(2):
        half = slice(5000 * k, 5000 * (k + 1))
        scale = np.sqrt(model.variances_[k, 0])
        assert stats.kstest(drawn[0][half], stats.norm(model.means_[k, 0], scale).cdf).pvalue > 1e-4
        assert abs(drawn[1][half].mean() - model.means_[k, 1]) < 5 * np.sqrt(model.means_[k, 1] / 5000)
        p = model._emissions.probabilities(model._layout, 2)[:, k]
        assert np.abs(np.bincount(drawn[2][half], minlength=3) / 5000 - p).max() < 0.04


def test_states_in_another_order_are_the_same_states(fitted):
    model, _, cells = fitted
    there, turned = (np.empty((200, padded_states(2))) for _ in range(2))
    model._emissions.fill_evidence(cells, None, there, None)
    model._emissions.taken(np.array([1, 0])).fill_evidence(cells, None, turned, None)
    np.testing.assert_array_equal(there[:, [1, 0]], turned[:, :2])
    assert model._emissions.parameters() == 2 * (2 + 1 + 2)  # mean and variance, rate, two free shares
