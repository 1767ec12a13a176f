"""Factors and junction trees against the whole joint table, made by NumPy's einsum."""

import numpy as np
import pytest

from learnt import _core


def random_model(seed, n=7, n_factors=9, most=3, zeros=0.0):
    rng = np.random.default_rng(seed)
    states = rng.integers(1, 4, n).astype(np.int32)
    scopes = [rng.choice(n, rng.integers(0, most + 1), replace=False) for _ in range(n_factors)]
    values = [
        rng.random([states[v] for v in scope]) * (rng.random([states[v] for v in scope]) >= zeros) for scope in scopes
    ]
    return states, scopes, values


def joint_table(states, scopes, values):
    operands = [part for scope, value in zip(scopes, values, strict=True) for part in (value, list(scope))]
    ones = [part for v, k in enumerate(states) for part in (np.ones(k), [v])]
    return np.einsum(*operands, *ones, list(range(len(states))))


def flat(sets):
    start = np.cumsum([0, *map(len, sets)]).astype(np.int64)
    return start, np.array([v for s in sets for v in s], np.int32)


def tree_of(states, scopes, values, tries=3):
    start, members = flat(scopes)
    order, _, largest, entries = _core.elimination_order(states, start, members, tries)
    tree = _core.JunctionTree(states, start, members, np.array(order, np.int32))
    assert tree.entries <= entries
    assert largest >= max(np.prod(states[list(c)]) for c, _ in tree.cliques()) * (1 - 1e-12)
    tree.set_factors(np.concatenate([np.ravel(v) for v in values]) if values else np.zeros(0))
    return tree


def with_evidence(joint, row, soft=None):
    table = joint.copy()
    for v, code in enumerate(row):
        if code >= 0:
            keep = np.arange(table.shape[v]) == code
            table = table * keep.reshape([-1 if u == v else 1 for u in range(table.ndim)])
    if soft is not None:
        at = 0
        for v, k in enumerate(table.shape):
            table = table * soft[at : at + k].reshape([-1 if u == v else 1 for u in range(table.ndim)])
            at += k
    return table


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("zeros", [0.0, 0.3])
def test_messages_give_the_marginals_of_the_joint_table(seed, zeros):
    states, scopes, values = random_model(seed, zeros=zeros)
    tree, joint = tree_of(states, scopes, values), joint_table(states, scopes, values)
    rng = np.random.default_rng(seed)
    rows = np.array([[rng.integers(-1, k) if rng.random() < 0.4 else -1 for k in states] for _ in range(6)], np.int32)
    soft = rng.random((6, states.sum())) if seed % 2 else None
    whole = [[v] for v in range(len(states))] + [list(s) for s in scopes if len(s)]
    start, targets = flat(whole)
    width = int(sum(np.prod(states[list(t)]) for t in whole))
    out, log_evidence = np.empty((6, width)), np.empty(6)
    tree.posteriors(rows, soft, start, targets, out, log_evidence)
    codes, log_product = np.empty(rows.shape, np.int32), np.empty(6)
    tree.most_probable(rows, soft, codes, log_product)
    for i, row in enumerate(rows):
        table = with_evidence(joint, row, None if soft is None else soft[i])
        if table.sum() == 0:
            assert log_evidence[i] == -np.inf
            assert np.isnan(out[i]).all()
            assert (codes[i] == -1).all()
            continue
        np.testing.assert_allclose(log_evidence[i], np.log(table.sum()), rtol=1e-11, atol=1e-11)
        wanted = np.concatenate([np.einsum(table, range(len(states)), t).ravel() for t in whole]) / table.sum()
        np.testing.assert_allclose(out[i], wanted, atol=1e-13)
        np.testing.assert_allclose(table[tuple(codes[i])], table.max(), rtol=1e-12)
        np.testing.assert_allclose(log_product[i], np.log(table.max()), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("seed", range(6))
def test_expected_counts_are_the_sums_of_posteriors_for_any_number_of_threads(seed):
    states, scopes, values = random_model(seed)
    tree, joint = tree_of(states, scopes, values), joint_table(states, scopes, values)
    rng = np.random.default_rng(seed)
    n = 300
    rows = np.where(rng.random((n, len(states))) < 0.5, rng.integers(0, states, (n, len(states))), -1).astype(np.int32)
    weights = rng.random(n)
    found = []
    for threads in (1, 2, 5):
        _core.set_threads(threads)
        counts, log_evidence = np.zeros(sum(v.size for v in values)), np.empty(n)
        tree.expected_counts(rows, weights, counts, log_evidence)
        found.append(counts)
    assert all((f == found[0]).all() for f in found)
    wanted = np.zeros_like(counts)
    for row, weight in zip(rows, weights, strict=True):
        table = with_evidence(joint, row)
        wanted += weight * np.concatenate(
            [np.einsum(table, range(len(states)), list(s)).ravel() / table.sum() for s in scopes]
        )
    np.testing.assert_allclose(counts, wanted, rtol=1e-11)


@pytest.mark.parametrize("seed", range(10))
def test_factors_are_combined_and_reduced_as_arrays_are(seed):
    rng = np.random.default_rng(seed)
    states = rng.integers(1, 5, 5).astype(np.int32)
    variables = rng.permutation(5)[: rng.integers(0, 6)].astype(np.int32)
    kept = rng.permutation(variables)[: rng.integers(0, len(variables) + 1)].astype(np.int32)
    table, small = rng.random([states[v] for v in variables]), rng.random([states[v] for v in kept])
    out = table.ravel().copy()
    _core.combine_factor(states, kept, small.ravel(), variables, False, out)
    letters = list(map(int, variables))
    wanted = np.einsum(table, letters, small, list(map(int, kept)), letters)
    np.testing.assert_allclose(out, wanted.ravel(), rtol=1e-14)
    order = [letters.index(v) for v in kept] + [i for i, v in enumerate(letters) if v not in kept]
    rest = tuple(range(len(kept), len(letters)))
    apart = np.transpose(table, order)
    for how, wanted in enumerate([apart.sum(axis=rest), apart.max(axis=rest), np.log(np.exp(apart).sum(axis=rest))]):
        reduced = np.empty(small.size)
        _core.reduce_factor(states, variables, table.ravel(), kept, how, reduced)
        np.testing.assert_allclose(reduced, np.ravel(wanted), rtol=1e-13)


@pytest.mark.costly
def test_long_chains_of_small_numbers_do_not_vanish():
    n = 3000  # of children of one variable, whose product underflows either way
    states = np.full(n + 1, 2, np.int32)
    scopes = [[0, v] for v in range(1, n + 1)]
    values = [np.array([[0.1, 0.9], [0.9, 0.1]] if v % 2 else [[0.9, 0.1], [0.1, 0.9]]) for v in range(n)]
    tree = tree_of(states, scopes, values, tries=1)
    row = np.zeros((1, n + 1), np.int32)
    row[0, 0] = -1
    out, log_evidence = np.empty((1, 2)), np.empty(1)
    tree.posteriors(row, None, *flat([[0]]), out, log_evidence)
    np.testing.assert_allclose(out, [[0.5, 0.5]], atol=1e-12)
    np.testing.assert_allclose(log_evidence, np.log(2) + n / 2 * np.log(0.09), rtol=1e-12)


def test_wrong_arguments_are_refused():
    states = np.array([2, 2], np.int32)
    one = np.zeros((1, 2), np.int32)
    with pytest.raises(ValueError, match="twice"):
        _core.elimination_order(states, *flat([[0, 0]]), 1)
    with pytest.raises(ValueError, match="not there"):
        _core.elimination_order(states, *flat([[0, 2]]), 1)
    tree = _core.JunctionTree(states, *flat([[0], [1]]), np.array([0, 1], np.int32))
    out, log_evidence = np.empty((1, 2)), np.empty(1)
    with pytest.raises(ValueError, match="no factors"):
        tree.posteriors(one, None, *flat([[0]]), out, log_evidence)
    tree.set_factors(np.ones(4))
    with pytest.raises(ValueError, match="No clique"):
        tree.posteriors(one, None, *flat([[0, 1]]), np.empty((1, 4)), log_evidence)
    with pytest.raises(ValueError, match="state 2"):
        tree.posteriors(one + 2, None, *flat([[0]]), out, log_evidence)
    with pytest.raises(ValueError, match="below 0"):
        tree.posteriors(one, np.full((1, 4), -1.0), *flat([[0]]), out, log_evidence)
