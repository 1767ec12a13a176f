"""Linear regression in a tube against LIBSVM and LIBLINEAR, in passes, and on hostile input."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import SVR as TheirSVR
from sklearn.svm import LinearSVR as TheirLinearSVR

import learnt
from learnt import SVR, LinearSVR
from learnt.errors import InputError, ParameterError

TIGHT = {"standardize": False, "tol": 1e-9, "max_iter": 20_000}
SOLVERS = [
    ("epsilon_insensitive", "coordinate"),
    ("epsilon_insensitive", "interior"),
    ("squared_epsilon_insensitive", "coordinate"),
    ("squared_epsilon_insensitive", "newton"),
]


def rows(n=150, p=4, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p)) + np.arange(p)
    return x, x @ rng.normal(size=p) + rng.normal(size=n) + 3, rng.integers(1, 4, n).astype(float)


def objective(coef, intercept, x, y, C, epsilon, loss, weights=1.0):
    slack = np.maximum(0, np.abs(y - x @ coef - intercept) - epsilon)
    return 0.5 * coef @ coef + C * (weights * slack ** (2 if loss.startswith("squared") else 1)).sum()


@pytest.mark.parametrize("solver", ["coordinate", "interior"])
@pytest.mark.parametrize("C", [0.01, 1.0])
def test_it_is_the_machine_of_a_linear_kernel(solver, C):
    x, y, w = rows()
    ours = LinearSVR(C=C, epsilon=0.3, solver=solver, **{**TIGHT, "tol": 3e-7}).fit(x, y, sample_weight=w)
    kernel = SVR(C=C, epsilon=0.3, kernel="linear", standardize=False, tol=1e-10).fit(x, y, sample_weight=w)
    theirs = TheirSVR(C=C, epsilon=0.3, kernel="linear", tol=1e-10).fit(x, y, sample_weight=w)
    found = objective(ours.coef_, ours.intercept_, x, y, C, 0.3, "epsilon_insensitive", w)
    assert found == pytest.approx(ours.objective_, rel=1e-9)
    for coef, intercept in ((kernel.coef_, kernel.intercept_), (theirs.coef_[0], theirs.intercept_[0])):
        least = objective(coef, intercept, x, y, C, 0.3, "epsilon_insensitive", w)
        assert found == pytest.approx(least, rel=1e-6)


@pytest.mark.parametrize(("loss", "solver"), SOLVERS)
def test_without_an_intercept_it_is_liblinears_machine(loss, solver):
    x, y, w = rows()
    settings = {"C": 0.1, "epsilon": 0.2, "loss": loss, "fit_intercept": False}
    ours = LinearSVR(**settings, solver=solver, **{**TIGHT, "tol": 1e-8}).fit(x, y, sample_weight=w)
    theirs = TheirLinearSVR(**settings, tol=1e-10, max_iter=1_000_000, dual=True).fit(x, y, sample_weight=w)
    least = objective(theirs.coef_, 0.0, x, y, 0.1, 0.2, loss, w)
    assert objective(ours.coef_, 0.0, x, y, 0.1, 0.2, loss, w) == pytest.approx(least, rel=1e-6)
    assert ours.intercept_ == 0


@pytest.mark.parametrize(("loss", "solver"), SOLVERS)
def test_no_other_plane_near_is_better(loss, solver):
    x, y, w = rows(seed=4)
    model = LinearSVR(C=0.2, epsilon=0.1, loss=loss, solver=solver, **{**TIGHT, "tol": 1e-8}).fit(x, y, sample_weight=w)
    assert model.converged_
    rng = np.random.default_rng(0)
    for _ in range(20):
        step = 1e-3 * rng.normal(size=5)
        other = objective(model.coef_ + step[1:], model.intercept_ + step[0], x, y, 0.2, 0.1, loss, w)
        assert other >= model.objective_ * (1 - 1e-8)


@pytest.mark.parametrize(("loss", "solver"), SOLVERS)
def test_a_weight_is_a_repetition(loss, solver):
    x, y, w = rows(n=50)
    make = lambda: LinearSVR(loss=loss, solver=solver, tol=1e-5, max_iter=20_000)  # noqa: E731
    weighted = make().fit(x, y, sample_weight=w)
    repeated = make().fit(np.repeat(x, w.astype(int), axis=0), np.repeat(y, w.astype(int)))
    np.testing.assert_allclose(weighted.predict(x), repeated.predict(x), rtol=1e-6)


def test_sparse_rows_and_units_of_the_target():
    x = sparse.random(100, 30, 0.3, format="csr", random_state=0)
    y = np.asarray(x @ np.arange(30.0)).ravel()
    dense, thin = (
        LinearSVR(tol=1e-8, standardize=False).fit(x.toarray(), y),
        LinearSVR(tol=1e-8, standardize=False).fit(x, y),
    )
    np.testing.assert_allclose(thin.predict(x), dense.predict(x), atol=1e-3 * y.std())
    large = LinearSVR(tol=1e-8).fit(x.toarray(), 1e6 * y)
    np.testing.assert_allclose(large.predict(x), 1e6 * LinearSVR(tol=1e-8).fit(x.toarray(), y).predict(x), rtol=1e-4)


def test_a_squared_loss_is_learnt_in_passes_over_files_and_the_other_says_why_not(tmp_path):
    x, y, w = rows()
    table = {f"x{j}": x[:, j] for j in range(4)}
    cells = np.column_stack([x, y, w])
    np.savetxt(tmp_path / "rows.csv", cells, "%.17g", ",", header=",".join([*table, "y", "w"]), comments="")
    scan, squared = learnt.scan(tmp_path / "rows.csv"), "squared_epsilon_insensitive"
    for more in ({}, {"standardize": False}, {"fit_intercept": False}):
        passes = LinearSVR(loss=squared, **more).fit(scan, "y", sample_weight="w")
        whole = LinearSVR(loss=squared, **more).fit(table, y, sample_weight=w)
        np.testing.assert_allclose(passes.coef_, whole.coef_, atol=1e-6)
        assert passes.intercept_ == pytest.approx(whole.intercept_, abs=1e-6)
    with pytest.raises(InputError, match="must be in memory"):
        LinearSVR().fit(scan, "y")


def test_one_outlier_hardly_moves_it():
    x = np.linspace(0, 10, 50)[:, None]
    y = 2 * x[:, 0] + 1
    y[-1] = 1000
    assert LinearSVR(C=100, epsilon=0).fit(x, y).predict([[5.0]])[0] == pytest.approx(11, abs=0.1)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
@pytest.mark.parametrize("solver", ["auto", "coordinate"])
def test_hostile_input_has_an_answer(loss, solver):
    x, y, _ = rows(n=40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", learnt.errors.ConvergenceWarning)
        for C in (1e-12, 1e12):
            assert np.isfinite(LinearSVR(C=C, loss=loss, solver=solver).fit(x, y).predict(x)).all()
    make = lambda: LinearSVR(loss=loss, solver=solver)  # noqa: E731
    assert make().fit([[1.0], [2.0]], [1.0, 2.0]).predict([[1.5]])[0] == pytest.approx(1.5, abs=0.3)
    assert make().fit([[1.0]], [4.0]).predict([[1.5]])[0] == pytest.approx(4)
    assert make().fit([[1.0], [2.0]], [3.0, 3.0]).predict([[9.0]])[0] == pytest.approx(3)
    empty = sparse.csr_matrix((6, 3))
    assert np.isfinite(make().fit(empty, np.arange(6.0)).predict(empty)).all()
    for factor in (1e150, 1e-150):
        far = make().fit(x * factor, y)
        np.testing.assert_allclose(far.predict(x * factor), make().fit(x, y).predict(x), atol=0.2)


def test_settings_that_do_not_go_together_are_refused():
    with pytest.raises(ParameterError, match="LinearSVR"):
        LinearSVR(solver="newton").fit([[1.0], [2.0]], [1.0, 2.0])


def test_explanations_add_up_and_the_summary_tells_how_it_ended():
    x, y, _ = rows()
    model = LinearSVR().fit(x, y)
    told = model.explain(x)[0]
    assert told.base + sum(e.contribution for e in told.evidence) == pytest.approx(model.predict(x[:1])[0])
    assert "converged" in str(model.summary())
