"""Half a sweep of least squares, an epoch of descent: against lines of NumPy."""

import numpy as np
import pytest

from learnt import _core

SHAPES = [(1, 1, 3), (5, 4, 16), (40, 600, 20), (33, 9, 100), (7, 1200, 140)]


def problem(shape, real, biases, weighted, seed=0):
    """Ratings of some rows, and both sides, padded."""
    n, others, rank = shape
    rng = np.random.default_rng(seed)
    there = rng.random((n, others)) < 0.6
    there[0] = False  # somebody without ratings
    width = (rank + 15) // 16 * 16
    rows, indices = np.nonzero(there)
    sides = []
    for m in (n, others):
        vectors = np.zeros((m, width), real)
        vectors[:, :rank] = rng.normal(size=(m, rank)) / np.sqrt(rank)
        sides.append((vectors, rng.normal(size=m).astype(real) if biases else None))
    offsets = np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.int64)
    values = rng.normal(size=len(rows)).astype(real)
    weights = rng.integers(1, 4, len(rows)).astype(real) if weighted else None
    return there, offsets, indices.astype(np.int32), values, weights, sides[0], sides[1]


def lost(there, values, weights, x, b, y, c, penalty, implicit):
    """What is minimised, row by row, and minus half its gradient."""
    t, w = np.zeros(there.shape), np.full(there.shape, 1.0 if implicit else 0.0)
    t[there] = values
    w[there] = 1.0 if weights is None else weights
    f = y.astype(float) if c is None else np.column_stack([y.astype(float), np.ones(len(y))])
    z = x.astype(float) if b is None else np.column_stack([x.astype(float), b.astype(float)])
    e = t - (0 if c is None else c.astype(float)) - z @ f.T
    return (w * e**2).sum(axis=1) + penalty * (z**2).sum(axis=1), (w * e) @ f - penalty[:, None] * z


def solve(made, real, implicit, solver, steps, penalty):
    _, offsets, indices, values, weights, (x, b), (y, c) = made
    x, b = x.copy(), None if b is None else b.copy()
    if solver == "nonnegative":
        x = np.abs(x)
    gram = sums = pull = None
    square = 0.0
    if implicit:
        width = y.shape[1]
        out = np.zeros((width + 2, width + 2))
        _core.sum_side(y, c, out)
        out = np.triu(out) + np.triu(out, 1).T
        gram = np.ascontiguousarray(out[:width, :width].astype(real))
        sums, pull, square = out[: width + 1, width].copy(), out[: width + 1, -1].copy(), float(out[-1, -1])
    left = np.zeros(len(x))
    options = _core.FactorOptions(solver=solver, steps=steps)
    _core.solve_factor_rows(
        offsets, indices, values, weights, y, c, gram, sums, pull, square, penalty, options, x, b, left
    )
    return x, b, left


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("implicit", [False, True], ids=["explicit", "implicit"])
@pytest.mark.parametrize(("biases", "weighted"), [(False, False), (True, True)], ids=["plain", "biases"])
@pytest.mark.parametrize(("solver", "steps"), [("cg", 3), ("cg", 400), ("exact", 1), ("nonnegative", 2000)])
def test_a_row_is_solved_and_what_is_left_is_told(shape, implicit, biases, weighted, solver, steps):
    made = problem(shape, np.float64, biases, weighted or implicit)
    there, _, _, values, weights, (start, start_bias), (y, c) = made
    penalty = np.linspace(0.5, 2, len(there))
    x, b, left = solve(made, np.float64, implicit, solver, steps, penalty)
    wanted, gradient = lost(there, values, weights, x, b, y, c, penalty, implicit)
    np.testing.assert_allclose(left, wanted, rtol=1e-8, atol=1e-8)
    if solver == "nonnegative":
        assert (x >= 0).all()
        gradient[:, : x.shape[1]] = np.where(x > 0, gradient[:, : x.shape[1]], np.maximum(gradient[:, : x.shape[1]], 0))
    else:
        before, _ = lost(there, values, weights, start, start_bias, y, c, penalty, implicit)
        assert (left <= before + 1e-9).all()
    if steps != 3:
        assert np.abs(gradient).max() < 1e-4


@pytest.mark.parametrize("implicit", [False, True], ids=["explicit", "implicit"])
@pytest.mark.parametrize("solver", ["cg", "exact"])
def test_single_precision_is_near_double(implicit, solver):
    penalty = np.ones(40)
    answers = [
        solve(problem(SHAPES[2], real, True, True), real, implicit, solver, 30, penalty)[0]
        for real in (np.float32, np.float64)
    ]
    np.testing.assert_allclose(*answers, atol=2e-3)


def test_an_epoch_of_descent_is_that_of_numpy():
    rng, parts, rate = np.random.default_rng(0), 4, 0.05
    users, items = (a.astype(np.int32) for a in np.nonzero(rng.random((9, 11)) < 0.7))
    cell = users % parts * parts + items % parts
    order = np.argsort(cell, kind="stable")
    users, items = users[order], items[order]
    cells = np.concatenate([[0], np.cumsum(np.bincount(cell, minlength=parts**2))]).astype(np.int64)
    values, weights = rng.normal(size=len(users)), rng.integers(1, 3, len(users)).astype(float)
    x, y, b, c = rng.normal(size=(9, 16)), rng.normal(size=(11, 16)), rng.normal(size=9), rng.normal(size=11)
    lu, li = rng.random(9), rng.random(11)
    wanted = [a.copy() for a in (x, y, b, c)]
    for diagonal in range(parts):
        for a in range(parts):
            at = a * parts + (a + diagonal) % parts
            for j in range(cells[at], cells[at + 1]):
                u, i, (p, q, s, t) = users[j], items[j], wanted
                e = values[j] - p[u] @ q[i] - s[u] - t[i]
                step = rate * weights[j]
                p[u], q[i] = p[u] + step * (e * q[i] - lu[u] * p[u]), q[i] + step * (e * p[u] - li[i] * q[i])
                s[u] += step * (e - lu[u] * s[u])
                t[i] += step * (e - li[i] * t[i])
    _core.descend_entries(cells, parts, users, items, values, weights, lu, li, rate, x, y, b, c)
    for found, one in zip((x, y, b, c), wanted, strict=True):
        np.testing.assert_allclose(found, one, rtol=1e-9, atol=1e-12)


def test_wrong_arguments_are_refused():
    made = problem(SHAPES[1], np.float64, False, False)
    _, offsets, indices, values, _, (x, _), (y, _) = made
    options, left, penalty = _core.FactorOptions(solver="cg", steps=3), np.zeros(5), np.ones(5)

    def call(offsets=offsets, indices=indices, y=y, x=x, penalty=penalty):
        _core.solve_factor_rows(
            offsets, indices, values, None, y, None, None, None, None, 0.0, penalty, options, x, None, left
        )

    call()
    for wrong in (
        {"indices": indices + 1},
        {"indices": indices - 1},
        {"offsets": offsets[::-1].copy()},
        {"offsets": offsets[:-1]},
        {"y": y[:, :5].copy()},
        {"x": x[:, :0].copy()},
        {"penalty": penalty[:2]},
    ):
        with pytest.raises(ValueError, match=r"'|Factors"):
            call(**wrong)
    with pytest.raises(ValueError, match="place"):
        _core.rate_pairs(np.array([5], np.int32), np.array([0], np.int32), x, None, y, None, np.zeros(1))
