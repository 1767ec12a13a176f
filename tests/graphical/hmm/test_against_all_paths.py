"""Answers equal those by the definition, over all paths."""

import numpy as np
import pytest
from tests.graphical.hmm.brute_force import BruteForce, random_model, random_rows

from learnt import HiddenMarkovModel

CASES = [(seed, 1 + seed % 4, 1 + seed % 5, [0.0, 0.4, 1.0][seed % 3], seed % 2 == 1) for seed in range(24)]


def made(seed, k, n, missing, zeros):
    rng = np.random.default_rng(seed)
    tables = random_model(rng, k, zeros=zeros)
    return tables, random_rows(rng, n, missing)


@pytest.mark.parametrize(("seed", "k", "n", "missing", "zeros"), CASES)
def test_likelihood_posterior_and_path_are_those_of_all_paths(seed, k, n, missing, zeros):
    tables, rows = made(seed, k, n, missing, zeros)
    model, truth = HiddenMarkovModel.from_tables(*tables), BruteForce(*tables, rows)
    assert model.log_likelihood(rows)[0] == pytest.approx(np.log(truth.total), rel=1e-12, abs=1e-12)
    np.testing.assert_allclose(model.smooth(rows), truth.posterior(), rtol=1e-11, atol=1e-14)
    path = model.decode(rows)
    _, best = truth.best()
    assert path.log_probability == pytest.approx(best, rel=1e-12, abs=1e-12)
    chosen = truth.paths.index(tuple(truth.names.index(s) for s in path.states))
    assert truth.probability[chosen] == pytest.approx(np.exp(best), rel=1e-12)
    assert model.predict(rows).tolist() == path.states.tolist()


@pytest.mark.parametrize(("seed", "k", "n", "missing", "zeros"), CASES[:12])
def test_filtering_is_the_posterior_of_the_rows_so_far(seed, k, n, missing, zeros):
    tables, rows = made(seed, k, n, missing, zeros)
    filtered = HiddenMarkovModel.from_tables(*tables).filter(rows)
    for t in range(n):
        so_far = BruteForce(*tables, {name: cells[: t + 1] for name, cells in rows.items()})
        np.testing.assert_allclose(filtered[t], so_far.posterior()[-1], rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize(("seed", "k", "n", "missing", "zeros"), [case for case in CASES if case[1] > 1][:10])
def test_the_terms_of_an_explanation_are_past_row_and_future(seed, k, n, missing, zeros):
    tables, rows = made(seed, k, n, missing, zeros)
    start, transition, emission = tables
    model, posterior = HiddenMarkovModel.from_tables(*tables), BruteForce(*tables, rows).posterior()
    names = list(start)
    for t, told in enumerate(model.explain(rows)):
        best = names.index(told.prediction)
        if not told.alternatives:
            continue
        other = names.index(told.alternatives[0][0])
        assert told.total == pytest.approx(np.log(posterior[t, best] / posterior[t, other]), abs=1e-9)
        assert told.add_up() == pytest.approx(told.total, abs=1e-12)
        past = {name: cells[:t] for name, cells in rows.items()}
        before = np.array([start[s] for s in names])
        if t:
            so_far = BruteForce(*tables, past).posterior()[-1]
            before = np.array([sum(p * transition[a][b] for a, p in zip(names, so_far, strict=True)) for b in names])
        assert told.base == pytest.approx(np.log(before[best] / before[other]), abs=1e-9)
        after = {name: cells[t + 1 :] for name, cells in rows.items()}
        if t + 1 < n:
            ways = [BruteForce(transition[names[s]], transition, emission, after).total for s in (best, other)]
            assert told.evidence[-1].column == "later rows"
            assert told.evidence[-1].contribution == pytest.approx(np.log(ways[0] / ways[1]), abs=1e-9)


def test_several_sequences_are_independent_and_keep_their_lengths():
    tables, rows = made(3, 3, 5, 0.2, False)
    model = HiddenMarkovModel.from_tables(*tables)
    parts = [{name: cells[a:b] for name, cells in rows.items()} for a, b in ((0, 2), (2, 2), (2, 5))]
    whole = model.smooth(rows, lengths=[2, 0, 3])
    np.testing.assert_allclose(whole[:2], model.smooth(parts[0]), rtol=1e-12)
    np.testing.assert_allclose(whole[2:], model.smooth(parts[2]), rtol=1e-12)
    logs = model.log_likelihood(rows, lengths=[2, 0, 3])
    assert logs[1] == 0
    assert logs[[0, 2]].tolist() == pytest.approx([model.log_likelihood(parts[i])[0] for i in (0, 2)])


def test_a_row_without_cells_says_only_that_time_passes():
    tables, _ = made(5, 3, 4, 0.0, False)
    model = HiddenMarkovModel.from_tables(*tables)
    rows = {"x": [None, None, None], "n": [None] * 3, "c": [None] * 3}
    shares = [model.start_ @ np.linalg.matrix_power(model.transition_, t) for t in range(3)]
    np.testing.assert_allclose(model.smooth(rows), shares, rtol=1e-12)
    assert model.log_likelihood(rows)[0] == pytest.approx(0, abs=1e-14)


@pytest.mark.parametrize("k", [1, 7, 8, 9, 17, 40])
def test_any_number_of_states_is_walked_as_by_numpy(k):
    rng = np.random.default_rng(k)
    start, transition = rng.dirichlet(np.ones(k)), rng.dirichlet(np.ones(k), size=k)
    means, x = rng.normal(size=(k, 2)), rng.normal(size=(50, 2))
    model = HiddenMarkovModel.from_tables(start, transition, {"means": means, "variances": np.ones((k, 2))})
    b = np.exp(-0.5 * ((x[:, None] - means) ** 2).sum(axis=2)) / (2 * np.pi)
    alpha, logs, found = start, 0.0, []
    for t in range(50):
        alpha = (alpha if t == 0 else alpha @ transition) * b[t]
        logs += np.log(alpha.sum())
        alpha = alpha / alpha.sum()
        found.append(alpha)
    beta, posterior = np.ones(k), np.empty((50, k))
    for t in range(49, -1, -1):
        posterior[t] = found[t] * beta / (found[t] @ beta)
        beta = transition @ (b[t] * beta)
        beta /= beta.sum()
    assert model.log_likelihood(x)[0] == pytest.approx(logs, rel=1e-12)
    np.testing.assert_allclose(model.filter(x), found, rtol=1e-10, atol=1e-15)
    np.testing.assert_allclose(model.smooth(x), posterior, rtol=1e-9, atol=1e-14)
