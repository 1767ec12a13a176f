"""Alternating least squares: the objective never rises, ends where gradients vanish, and is that of NumPy."""

import numpy as np
import pytest
from tests.recommendation.rating_box import dense, fitted, objective, parts, penalties, planted, targets

import learnt
from learnt import MatrixFactorization

ROWS, WHOLE = planted()
WEIGHTS = np.random.default_rng(1).choice([0.5, 1, 2, 3], len(ROWS["user"]))
KINDS = [
    {},
    {"solver": "exact"},
    {"biases": False},
    {"prior_count": 0.0},
    {"by_count": False, "regularization": 2.0},
    {"feedback": "implicit", "confidence": 5.0},
    {"feedback": "implicit", "biases": False, "by_count": False, "regularization": 3.0},
    {"feedback": "implicit", "solver": "exact", "confidence": 5.0},
    {"nonnegative": True},
    {"nonnegative": True, "feedback": "implicit", "biases": False},
]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weighted"])
@pytest.mark.parametrize("settings", KINDS, ids=str)
def test_the_objective_never_rises_and_is_what_numpy_makes_of_it(settings, weights):
    model = MatrixFactorization(3, precision="double", tol=0, max_iter=12, **settings)
    model.fit(ROWS, sample_weight=weights)
    falls = model.objectives_
    assert (np.diff(falls) <= 1e-12 * falls[0]).all()
    # After the last sweep, users are solved once more: the objective can only be lower still.
    assert objective(model, ROWS, weights) <= falls[-1] * (1 + 1e-12)
    single = MatrixFactorization(3, tol=0, max_iter=12, **settings).fit(ROWS, sample_weight=weights)
    assert (np.diff(single.objectives_) <= 1e-6 * falls[0]).all()
    np.testing.assert_allclose(single.objectives_[:4], falls[:4], rtol=1e-4)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("settings", [k for k in KINDS if not k.get("nonnegative")], ids=str)
def test_gradients_vanish_at_the_end(settings):
    # Fewer users, so that it ends soon: alternating is slow to the last digit.
    rows, _ = planted(12, 8, seed=3, share=0.8)
    model = fitted(rows, 2, max_iter=600, **settings)
    at = parts(model)
    base, step = objective(model, rows, at=at), 1e-5
    for which in range(2 if settings.get("biases") is False else 4):
        for place in np.ndindex(*at[which].shape):
            ends = []
            for sign in (1, -1):
                moved = [part.copy() for part in at]
                moved[which][place] += sign * step
                ends.append(objective(model, rows, at=moved))
            assert abs(ends[0] - ends[1]) / (2 * step) < 2e-3 * base


def plain_als(model, rows, sweeps, weights=None, seed=0):
    """The same sweeps by dense normal equations."""
    t, w, total = targets(model, rows, weights)
    lu, li = penalties(model, total)
    rng = np.random.default_rng(learnt.learner.parameters.seed_from(seed))
    y = rng.standard_normal((t.shape[1], model.rank)) / np.sqrt(model.rank)
    sides = {"x": np.zeros((t.shape[0], model.rank + 1)), "y": np.column_stack([y, np.zeros(len(y))])}

    def solve(t, w, penalty, others):
        f = np.column_stack([others[:, :-1], np.ones(len(others))])
        if not model.biases:
            f = f[:, :-1]
        made = np.zeros((len(t), model.rank + 1))
        for u in range(len(t)):
            a = (f.T * w[u]) @ f + penalty[u] * np.eye(f.shape[1])
            made[u, : f.shape[1]] = np.linalg.solve(a, f.T @ (w[u] * (t[u] - others[:, -1])))
        return made

    for _ in range(sweeps):
        sides["x"] = solve(t, w, lu, sides["y"])
        sides["y"] = solve(t.T, w.T, li, sides["x"])
    return solve(t, w, lu, sides["y"]), sides["y"]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "settings",
    [{}, {"biases": False}, {"feedback": "implicit"}, {"feedback": "implicit", "biases": False, "by_count": False}],
    ids=str,
)
def test_sweeps_are_those_of_dense_least_squares(settings):
    model = MatrixFactorization(3, solver="exact", precision="double", tol=0, max_iter=6, **settings)
    model.fit(ROWS, sample_weight=WEIGHTS)
    x, y = plain_als(model, ROWS, 6, WEIGHTS)
    np.testing.assert_allclose(model.user_factors_, x[:, :-1], atol=1e-9)
    np.testing.assert_allclose(model.item_factors_, y[:, :-1], atol=1e-9)
    if model.biases:
        np.testing.assert_allclose(model.user_bias_, x[:, -1], atol=1e-9)
    # Conjugate gradients with as many steps as there are unknowns solve the same equations.
    steps = MatrixFactorization(3, cg_steps=8, precision="double", tol=0, max_iter=6, **settings)
    np.testing.assert_allclose(steps.fit(ROWS, sample_weight=WEIGHTS).predict(ROWS), model.predict(ROWS), atol=1e-5)


def test_planted_ratings_are_found_again():
    rows, whole = planted(150, 60, rank=3, share=0.4, noise=0.05, seed=5)
    model = MatrixFactorization(3, regularization=1e-3, max_iter=200, tol=1e-6).fit(rows)
    users, items = np.indices(whole.shape).reshape(2, -1)
    found = model.predict({"user": users, "item": items}).reshape(whole.shape)
    unseen = dense(rows, shape=whole.shape)[0] == 0
    assert np.sqrt(np.mean((found - whole)[unseen] ** 2)) < 0.1 * whole.std()


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("rank", [1, 5, 16, 17, 40, 64, 100])
def test_any_rank_and_instruction_set_solve_the_same(rank):
    from learnt import _core

    level, found = _core.simd_level(), {}
    try:
        for name in ("baseline", "avx2", "avx512"):
            try:
                _core.set_simd_level(name)
            except ValueError:
                continue
            model = MatrixFactorization(rank, max_iter=3, feedback="implicit").fit(ROWS)
            found[name] = model.predict(ROWS)
    finally:
        _core.set_simd_level(level)
    for answer in found.values():
        np.testing.assert_allclose(answer, found["baseline"], atol=1e-3)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("settings", [{}, {"feedback": "implicit"}, {"solver": "sgd"}, {"nonnegative": True}], ids=str)
def test_threads_change_no_bit(settings):
    rows, _ = planted(300, 90, share=0.2)
    answers = []
    for n in (1, 2, 5):
        with learnt.threads(n):
            answers.append(MatrixFactorization(8, max_iter=3, **settings).fit(rows).predict(rows))
    assert (answers[0] == answers[1]).all()
    assert (answers[0] == answers[2]).all()
