"""Walks along sequences against sums over all paths."""

from itertools import product

import numpy as np
import pytest
from scipy.special import logsumexp

from learnt.graphical import HiddenMarkovModel
from learnt.graphical.hmm.walks import Walks, best_paths


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(2)
    table = {"x": rng.normal(size=60), "label": np.array(["a", "b"])[rng.integers(0, 2, 60)]}
    model = HiddenMarkovModel(3, tol=0.05).fit(table)
    short = {"x": [0.1, None, -1.0, 2.0, 0.5, 0.4], "label": ["a", "b", "b", None, "a", "a"]}
    sequences, cells = model._given(short, None, None, [4, 2])
    logs = np.empty((6, 8))
    model._emissions.fill_evidence(cells, None, logs, None)
    return model, sequences, cells, logs[:, :3]


def all_paths(model, logs):
    """Of one sequence: every path, and its log-probability together with the rows."""
    with np.errstate(divide="ignore"):
        start, step = np.log(model.start_), np.log(model.transition_)
    paths = np.array(list(product(range(3), repeat=len(logs))))
    found = [start[p[0]] + step[p[:-1], p[1:]].sum() + logs[np.arange(len(logs)), p].sum() for p in paths]
    return paths, np.array(found)


def test_there_and_back_gives_the_sums_over_all_paths(fitted):
    model, sequences, cells, logs = fitted
    weights = np.array([1.0, 2.0])
    walks = Walks(cells, sequences.offsets, 3, weights)
    pairs = walks.walk(model._chain, model._emissions, back=True)
    sums = walks.sums(model._chain, model._emissions, pairs)
    posterior = walks.posterior(model._chain, model._emissions)
    expected_pairs, expected_starts = np.zeros((3, 3)), np.zeros(3)
    for s, (a, b) in enumerate(((0, 4), (4, 6))):
        paths, found = all_paths(model, logs[a:b])
        np.testing.assert_allclose(walks.log_likelihood[s], logsumexp(found), rtol=1e-10)
        share = np.exp(found - logsumexp(found))
        for t in range(b - a):
            exact = np.bincount(paths[:, t], share, 3)
            np.testing.assert_allclose(posterior[a + t], exact, atol=1e-10)
        np.add.at(expected_starts, paths[:, 0], weights[s] * share)
        for t in range(1, b - a):
            np.add.at(expected_pairs, (paths[:, t - 1], paths[:, t]), weights[s] * share)
    np.testing.assert_allclose(sums.pairs, expected_pairs, atol=1e-10)
    np.testing.assert_allclose(sums.starts, expected_starts, atol=1e-10)
    assert walks.impossible.tolist() == [-1, -1]


def test_the_best_path_is_the_best_of_all(fitted):
    model, sequences, cells, logs = fitted
    path, probability = best_paths(cells, sequences.offsets, model._chain, model._emissions)
    for s, (a, b) in enumerate(((0, 4), (4, 6))):
        paths, found = all_paths(model, logs[a:b])
        assert path[a:b].tolist() == paths[found.argmax()].tolist()
        np.testing.assert_allclose(probability[s], found.max(), rtol=1e-10)
