"""Kernels of hidden Markov models on every instruction set, against a few lines of NumPy."""

import numpy as np
import pytest

from learnt import _core

SHAPES = [(1, 1, 1), (5, 2, 40), (8, 3, 131), (9, 1, 300), (21, 2, 64)]


class Case:
    """A random chain with Gaussian, Poisson and categorical columns, some cells missing, three sequences."""

    def __init__(self, k, p, n):
        rng = np.random.default_rng(k)
        self.k, self.n, self.padded = k, n, (k + 7) // 8 * 8
        self.x = rng.normal(size=(n, p))
        self.x[rng.random((n, p)) < 0.1] = np.nan
        self.y = rng.poisson(2.0, size=(n, 1)).astype(float)
        self.codes = rng.integers(-1, 4, size=(n, 1)).astype(np.int32)
        self.mean, self.variance = rng.normal(size=(p, k)), rng.uniform(0.5, 2, size=(p, k))
        self.rate = rng.uniform(0.5, 3, size=(1, k))
        self.levels, self.tables = np.array([4]), np.log(rng.dirichlet(np.ones(4), size=k).T.copy())
        self.start, self.transition = rng.dirichlet(np.ones(k)), rng.dirichlet(np.ones(k), size=k)
        self.offsets = np.array([0, n // 3, n // 3, n])
        self.weights = np.array([2.0, 1.0, 0.5])

    @property
    def columns(self):
        return self.mean, self.variance, self.rate, self.levels, self.tables

    def logs(self):
        d = self.x[:, :, None] - self.mean
        found = np.nansum(-0.5 * (np.log(2 * np.pi * self.variance) + d**2 / self.variance), axis=1)
        found += self.y * np.log(self.rate) - self.rate
        codes = self.codes[:, 0]
        return found + np.where(codes[:, None] >= 0, self.tables[codes], 0.0)

    def posterior(self):
        """γ, pairs and log-likelihoods by the plain recursions."""
        logs, gamma, totals = self.logs(), np.empty((self.n, self.k)), np.zeros(3)
        pairs = np.zeros((self.k, self.k))
        for s in range(3):
            first, last = self.offsets[s : s + 2]
            alphas, share = [], self.start
            for t in range(first, last):
                share = share * np.exp(logs[t])
                totals[s] += np.log(share.sum())
                alphas.append(share / share.sum())
                share = alphas[-1] @ self.transition
            later = np.ones(self.k)
            for t in range(last - 1, first - 1, -1):
                gamma[t] = alphas[t - first] * later / (alphas[t - first] @ later)
                ahead = np.exp(logs[t]) * later
                if t > first:
                    both = alphas[t - 1 - first][:, None] * self.transition * ahead
                    pairs += self.weights[s] * both / both.sum()
                later = self.transition @ ahead
                later /= later.sum()
        return gamma, pairs, totals

    def evidence(self, top):
        out = np.empty((self.n, self.padded))
        _core.hmm_evidence(self.x, self.y, self.codes, self.k, *self.columns, add=False, out=out, top=top)
        return out


@pytest.mark.parametrize(("k", "p", "n"), SHAPES)
def test_evidence_is_the_sum_of_log_densities(k, p, n, level):
    case = Case(k, p, n)
    logs, top = case.logs(), np.empty(n)
    found = case.evidence(None)
    np.testing.assert_allclose(found[:, :k], logs, rtol=1e-12, atol=1e-12)
    assert (found[:, k:] == -np.inf).all()
    scaled = case.evidence(top)
    np.testing.assert_allclose(top, logs.max(axis=1), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(scaled[:, :k], np.exp(logs - logs.max(axis=1, keepdims=True)), rtol=1e-11)
    assert (scaled[:, k:] == 0).all()
    again, tops = np.empty_like(found), np.empty(n)
    _core.hmm_scale(found, again, tops)
    assert again.tobytes() == scaled.tobytes()


@pytest.mark.parametrize("by_logs", [False, True])
@pytest.mark.parametrize(("k", "p", "n"), SHAPES)
def test_walks_and_sums_are_those_of_the_recursions(k, p, n, by_logs, level):
    case = Case(k, p, n)
    if by_logs:  # a transition that numbers could lose sends the walk through logarithms
        case.transition[0] = 0
        case.transition[0, 0] = 1
        if k > 1:
            case.transition[0, 1] = 1e-200
    gamma, pairs, totals = case.posterior()
    top = np.empty(n)
    b, logs = case.evidence(top), case.evidence(None)
    alpha, beta, scale = np.empty_like(b), np.empty_like(b), np.empty(n)
    found, impossible, both = np.empty(3), np.empty(3, np.int64), np.zeros((k, k))
    along = (b, case.offsets, case.weights, case.start, case.transition)
    assert _core.hmm_walk(*along, top, logs, alpha, beta, scale, found, impossible, both)
    np.testing.assert_allclose(found, totals, rtol=1e-11, atol=1e-12)
    assert (impossible == -1).all()
    posterior, moments = np.empty((n, k)), np.zeros((3, p, k))
    counts, tables, starts = np.zeros((2, 1, k)), np.zeros((4, k)), np.zeros(k)
    _core.hmm_sums(
        case.x,
        case.y,
        case.codes,
        *case.columns,
        *along,
        alpha,
        beta,
        scale,
        posterior,
        moments,
        counts,
        tables,
        both,
        starts,
    )
    np.testing.assert_allclose(posterior, gamma, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(both, pairs, rtol=1e-9, atol=1e-11)
    w = gamma * np.repeat(case.weights, np.diff(case.offsets))[:, None]
    d = case.x[:, :, None] - case.mean
    for power in range(3):
        wanted = np.nansum(w[:, None, :] * d**power * np.where(np.isnan(d), np.nan, 1.0), axis=0)
        np.testing.assert_allclose(moments[power], wanted, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(counts[1, 0], case.y[:, 0] @ w, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(tables, [w[case.codes[:, 0] == c].sum(axis=0) for c in range(4)], rtol=1e-8, atol=1e-11)
    begins = np.unique(case.offsets[:-1][np.diff(case.offsets) > 0])
    np.testing.assert_allclose(starts, w[begins].sum(axis=0), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("k", "p", "n"), SHAPES)
def test_the_best_path_is_viterbis(k, p, n, level):
    case = Case(k, p, n)
    logs, steps = case.logs(), np.log(case.transition)
    path, value = np.empty(n, np.int32), np.empty(3)
    _core.hmm_paths(case.evidence(None), case.offsets, case.start, case.transition, path, value)
    for s in range(3):
        first, last = case.offsets[s : s + 2]
        if first == last:
            assert value[s] == 0
            continue
        best, back = np.log(case.start) + logs[first], []
        for t in range(first + 1, last):
            ways = best[:, None] + steps
            back.append(ways.argmax(axis=0))
            best = ways.max(axis=0) + logs[t]
        wanted = [int(best.argmax())]
        for before in reversed(back):
            wanted.append(int(before[wanted[-1]]))
        assert path[first:last].tolist() == wanted[::-1]
        assert value[s] == pytest.approx(best.max(), rel=1e-12)


def test_arguments_that_contradict_each_other_are_refused():
    case = Case(3, 1, 6)
    b = np.zeros((6, 8))
    with pytest.raises(ValueError, match="offsets"):
        _core.hmm_paths(b, np.array([0, 7]), case.start, case.transition, np.empty(6, np.int32), np.empty(1))
    with pytest.raises(ValueError, match="transition"):
        _core.hmm_paths(b, np.array([0, 6]), case.start, np.eye(2), np.empty(6, np.int32), np.empty(1))
    with pytest.raises(ValueError, match="out"):
        _core.hmm_evidence(case.x, case.y, case.codes, 3, *case.columns, add=False, out=np.empty((6, 3)), top=None)
    with pytest.raises(ValueError, match="multiple of 8"):
        _core.hmm_scale(np.zeros((2, 3)), np.zeros((2, 3)), np.zeros(2))
