"""Linear classification against LIBLINEAR and LIBSVM, against the conditions it must meet, and on hostile input."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import SVC as TheirSVC
from sklearn.svm import LinearSVC as TheirLinearSVC

import learnt
from learnt import SVC, LinearSVC
from learnt.errors import InputError, ParameterError

TIGHT = {"standardize": False, "probability": False, "tol": 1e-9, "max_iter": 20_000}
SOLVERS = [("hinge", "coordinate"), ("hinge", "interior"), ("squared_hinge", "coordinate"), ("squared_hinge", "newton")]


def rows(n=200, p=5, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p)) + np.arange(p) / 2
    y = np.where((x - np.arange(p) / 2) @ rng.normal(size=p) + rng.normal(size=n) > 0.5, 1, 0)
    return x, y, rng.integers(1, 4, n).astype(float)


def write(table, path):
    lines = [",".join(table), *(",".join(map(str, cells)) for cells in zip(*table.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n")


def objective(coef, intercept, x, y, C, loss, weights=1.0, l1=False):
    slack = np.maximum(0, 1 - np.where(y == 1, 1, -1) * (x @ coef + intercept))
    size = np.abs(coef).sum() if l1 else 0.5 * coef @ coef
    return size + C * (weights * slack ** (2 if loss == "squared_hinge" else 1)).sum()


def value(model, x, y, weights=1.0):
    return objective(model.coef_[0], model.intercept_[0], x, y, model.C, model.loss, weights, l1=model.penalty == "l1")


@pytest.mark.parametrize(
    ("solver", "C"),
    [("coordinate", 0.01), ("coordinate", 1.0), ("interior", 0.01), ("interior", 1.0), ("interior", 10.0)],
)
def test_with_the_hinge_loss_it_is_the_machine_of_a_linear_kernel(solver, C):
    x, y, w = rows()
    ours = LinearSVC(C=C, loss="hinge", solver=solver, **{**TIGHT, "tol": 1e-7}).fit(x, y, sample_weight=w)
    kernel = SVC(C=C, kernel="linear", standardize=False, probability=False, tol=1e-10).fit(x, y, sample_weight=w)
    theirs = TheirSVC(C=C, kernel="linear", tol=1e-10).fit(x, y, sample_weight=w)
    for machine in (kernel, theirs):
        other = objective(machine.coef_[0], machine.intercept_[0], x, y, C, "hinge", w)
        assert value(ours, x, y, w) == pytest.approx(other, rel=3e-6)
    np.testing.assert_allclose(ours.decision_function(x), kernel.decision_function(x), atol=2e-3)


@pytest.mark.parametrize(("loss", "solver"), SOLVERS)
def test_without_an_intercept_it_is_liblinears_machine(loss, solver):
    x, y, w = rows()
    ours = LinearSVC(C=0.3, loss=loss, solver=solver, fit_intercept=False, **TIGHT).fit(x, y, sample_weight=w)
    theirs = TheirLinearSVC(C=0.3, loss=loss, fit_intercept=False, tol=1e-10, dual=True, max_iter=1_000_000)
    theirs.fit(x, y, sample_weight=w)
    assert value(ours, x, y, w) == pytest.approx(objective(theirs.coef_[0], 0.0, x, y, 0.3, loss, w), rel=1e-6)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    assert ours.intercept_[0] == 0


@pytest.mark.parametrize(("loss", "solver"), SOLVERS)
def test_the_objective_is_the_one_that_is_told_and_its_gap_is_none(loss, solver):
    x, y, w = rows(seed=3)
    model = LinearSVC(C=0.5, loss=loss, solver=solver, **TIGHT).fit(x, y, sample_weight=w)
    assert model.objective_ == pytest.approx(value(model, x, y, w), rel=1e-9)
    assert model.converged_
    assert 0 <= model.gap_ <= 1e-9 * model.objective_
    # Nowhere near is it lower.
    rng = np.random.default_rng(0)
    for _ in range(20):
        step = 1e-3 * rng.normal(size=6)
        other = objective(model.coef_[0] + step[1:], model.intercept_[0] + step[0], x, y, 0.5, loss, w)
        assert other >= model.objective_ * (1 - 1e-9)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_the_optimality_conditions_hold(loss):
    """w is a sum of rows on or beyond their margins, each within its bound, and these balance."""
    from scipy.optimize import lsq_linear

    x, y, w = rows(n=80)
    model = LinearSVC(C=0.5, loss=loss, **{**TIGHT, "tol": 1e-11}).fit(x, y, sample_weight=w)
    sign = np.where(y == 1, 1.0, -1.0)
    slack = 1 - sign * model.decision_function(x)
    if loss == "squared_hinge":
        alpha = 2 * 0.5 * w * np.maximum(0, slack)
    else:
        alpha = np.where(slack > 1e-6, 0.5 * w, 0.0)
        on = np.flatnonzero(np.abs(slack) <= 1e-6)
        z = np.column_stack([x, np.ones(len(x))]) * sign[:, None]
        rest = np.append(model.coef_[0], 0.0) - alpha @ z
        alpha[on] = lsq_linear(z[on].T, rest, (0, 0.5 * w[on]), tol=1e-14).x
    np.testing.assert_allclose((alpha * sign) @ x, model.coef_[0], atol=1e-5)
    assert (alpha * sign).sum() == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("intercept", [True, False])
def test_an_l1_penalty_is_liblinears_and_leaves_few_coefficients(intercept):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(150, 30))
    y = np.where(x[:, 0] - x[:, 1] + 0.5 * rng.normal(size=150) > 0.2, 1, 0)
    ours = LinearSVC(penalty="l1", C=0.05, fit_intercept=intercept, **TIGHT).fit(x, y)
    theirs = TheirLinearSVC(penalty="l1", C=0.05, fit_intercept=intercept, dual=False, tol=1e-10, max_iter=100_000)
    theirs.set_params(intercept_scaling=1e3).fit(x, y)
    b = np.atleast_1d(theirs.intercept_)[0]
    least = objective(theirs.coef_[0], b, x, y, 0.05, "squared_hinge", l1=True)
    assert value(ours, x, y) == pytest.approx(least, rel=1e-6)
    assert ours.converged_
    assert 2 <= np.count_nonzero(ours.coef_) < 15
    # At 0 the gradient is within 1, elsewhere it is 1.
    sign = np.where(y == 1, 1, -1)
    pulls = x.T @ (2 * 0.05 * sign * np.maximum(0, 1 - sign * ours.decision_function(x)))
    used = ours.coef_[0] != 0
    np.testing.assert_allclose(pulls[used], np.sign(ours.coef_[0][used]), atol=1e-3)
    assert (np.abs(pulls[~used]) <= 1 + 1e-3).all()


@pytest.mark.parametrize("penalty", ["l1", "l2"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_sparse_rows_are_the_same_rows(penalty, loss):
    if (penalty, loss) == ("l1", "hinge"):
        return
    rng = np.random.default_rng(0)
    x = sparse.random(120, 40, 0.2, format="csr", random_state=0)
    x = sparse.csr_matrix(sparse.diags((np.arange(120) != 5).astype(float)) @ x)
    y = rng.integers(0, 2, 120)
    dense = LinearSVC(penalty=penalty, loss=loss, **TIGHT).fit(x.toarray(), y)
    for kind in (x, x.astype(np.float32).astype(np.float64), x.tocsc()):
        thin = LinearSVC(penalty=penalty, loss=loss, **TIGHT).fit(kind, y)
        assert value(thin, x.toarray(), y) == pytest.approx(value(dense, x.toarray(), y), rel=1e-6)
    np.testing.assert_allclose(thin.decision_function(x), thin.decision_function(x.toarray()), atol=1e-9)


@pytest.mark.parametrize(("loss", "solver"), [*SOLVERS, ("squared_hinge", "auto")])
def test_a_weight_is_a_repetition_and_the_order_of_rows_is_none(loss, solver):
    x, y, w = rows(n=60)
    make = lambda: LinearSVC(loss=loss, solver=solver)  # noqa: E731
    weighted = make().fit(x, y, sample_weight=w)
    repeated = make().fit(np.repeat(x, w.astype(int), axis=0), np.repeat(y, w.astype(int)))
    np.testing.assert_allclose(weighted.decision_function(x), repeated.decision_function(x), atol=1e-6)
    assert weighted.steepness_ == pytest.approx(repeated.steepness_, rel=1e-6)
    order = np.random.default_rng(0).permutation(60)
    shuffled = make().fit(x[order], y[order], sample_weight=w[order])
    np.testing.assert_allclose(weighted.decision_function(x), shuffled.decision_function(x), atol=1e-6)


def test_a_class_weight_is_the_weight_of_its_rows():
    x, y, _ = rows()
    by_class = LinearSVC(class_weight={1: 3.0}, **TIGHT).fit(x, y)
    by_row = LinearSVC(**TIGHT).fit(x, y, sample_weight=np.where(y == 1, 3.0, 1.0))
    np.testing.assert_allclose(by_class.coef_, by_row.coef_, rtol=1e-7)
    balanced = LinearSVC(class_weight="balanced").fit(x, y)
    assert np.mean(balanced.predict(x) == 1) > np.mean(LinearSVC().fit(x, y).predict(x) == 1)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_several_classes_are_each_against_all_others_whatever_the_threads(loss):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 6))
    y = np.array(["a", "b", "c"])[(x[:, :3]).argmax(axis=1)]
    model = LinearSVC(loss=loss, solver="coordinate", **{**TIGHT, "tol": 1e-6}).fit(x, y)
    assert model.coef_.shape == (3, 6)
    one = LinearSVC(loss=loss, **{**TIGHT, "tol": 1e-8}).fit(x, y == "b")
    np.testing.assert_allclose(model.decision_function(x)[:, 1], one.decision_function(x), atol=5e-3)
    assert model.score(x, y) > 0.9
    with learnt.threads(1):
        alone = LinearSVC(loss=loss, solver="coordinate", **{**TIGHT, "tol": 1e-6}).fit(x, y)
    assert (alone.coef_ == model.coef_).all()
    assert (alone.intercept_ == model.intercept_).all()


def test_labels_and_missing_cells_are_taken_as_svc_takes_them():
    rng = np.random.default_rng(2)
    size = rng.normal(50, 20, 90)
    color = rng.choice(["red", "blue", "green"], 90)
    y = np.where((size > 45) ^ (color == "red"), "yes", "no")
    size[::9] = np.nan
    table = {"size": size, "color": [None if i % 11 == 0 else c for i, c in enumerate(color)]}
    ours = LinearSVC(loss="hinge", tol=1e-9).fit(table, y)
    kernel = SVC(kernel="linear", tol=1e-10).fit(table, y)
    np.testing.assert_allclose(ours.decision_function(table), kernel.decision_function(table), atol=1e-3)
    told = ours.explain(table)[3]
    assert told.base + sum(e.contribution for e in told.evidence) == pytest.approx(told.total)
    assert {e.column for e in told.evidence} == {"size", "color"}


def test_probabilities_come_from_rows_held_out():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 40))  # more noise than rows can tell: the fitted rows are separated, others are not
    y = rng.integers(0, 2, 60)
    model = LinearSVC(C=100.0).fit(x, y)
    assert model.score(x, y) > 0.95
    assert np.median(model.predict_proba(x).max(axis=1)) < 0.65
    shares = model.predict_proba(x)
    assert (model.classes_[shares.argmax(axis=1)] == model.predict(x)).all()
    with pytest.raises(InputError, match="probability=True"):
        LinearSVC(probability=False).fit(x, y).predict_proba(x)


def test_a_squared_loss_is_learnt_in_passes_over_files_and_others_say_why_not(tmp_path):
    x, y, w = rows(n=400)
    table = {f"x{j}": x[:, j] for j in range(5)} | {"c": np.where(x[:, 0] > 1, "u", "v"), "y": y, "w": w}
    half = (
        {name: column[:200] for name, column in table.items()},
        {name: column[200:] for name, column in table.items()},
    )
    for i, part in enumerate(half):
        write(part, tmp_path / f"{i}.csv")
    scan = learnt.scan(str(tmp_path / "*.csv"))
    for more in ({}, {"class_weight": "balanced"}, {"fit_intercept": False}, {"standardize": False}):
        passes = LinearSVC(**more).fit(scan, "y", sample_weight="w")
        whole = LinearSVC(**more).fit({k: v for k, v in table.items() if k not in "yw"}, y, sample_weight=w)
        np.testing.assert_allclose(passes.coef_, whole.coef_, atol=1e-5)
        assert passes.steepness_ == pytest.approx(whole.steepness_, rel=0.5)
    for settings in ({"loss": "hinge"}, {"penalty": "l1"}, {"solver": "coordinate"}):
        with pytest.raises(InputError, match="must be in memory"):
            LinearSVC(**settings).fit(scan, "y", sample_weight="w")


def test_many_columns_in_passes_go_by_conjugate_gradients(tmp_path, monkeypatch):
    x, y, _ = rows(n=300)
    write({f"x{j}": x[:, j] for j in range(5)} | {"y": y}, tmp_path / "rows.csv")
    whole = LinearSVC().fit({f"x{j}": x[:, j] for j in range(5)}, y)
    monkeypatch.setattr("learnt.kernel.linear.newton.FEW", 2)
    passes = LinearSVC().fit(learnt.scan(tmp_path / "rows.csv"), "y")
    np.testing.assert_allclose(passes.coef_, whole.coef_, atol=1e-4)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("C", [1e-12, 1e12])
@pytest.mark.parametrize("solver", ["auto", "coordinate"])
def test_any_C_gives_finite_coefficients(loss, C, solver):
    x, y, _ = rows(n=40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", learnt.errors.ConvergenceWarning)
        model = LinearSVC(C=C, loss=loss, solver=solver).fit(x, y)
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.predict_proba(x)).all()
    if C == 1e-12:
        assert (model.predict(x) == np.bincount(y).argmax()).all()
    else:
        assert model.score(x, y) > 0.7


@pytest.mark.parametrize(
    "settings", [{}, {"loss": "hinge"}, {"penalty": "l1"}, {"loss": "hinge", "solver": "coordinate"}]
)
def test_few_rows_few_classes_and_strange_columns_do_no_harm(settings):
    make = lambda: LinearSVC(**settings)  # noqa: E731
    assert make().fit([[1.0], [2.0]], ["a", "b"]).predict([[0.0], [3.0]]).tolist() == ["a", "b"]
    assert make().fit([[1.0], [2.0]], ["a", "a"]).predict([[0.0]]).tolist() == ["a"]
    assert make().fit([[1.0], [2.0]], ["a", "b"], sample_weight=[0.0, 1.0]).predict([[0.0]]).tolist() == ["b"]
    same = make().fit([[1.0], [1.0], [1.0]], ["a", "b", "b"])
    assert same.predict([[1.0]]).tolist() == ["b"]
    empty = sparse.csr_matrix((6, 4))
    assert set(make().fit(empty, ["a", "b"] * 3).predict(empty).tolist()) <= {"a", "b"}
    x, y, _ = rows(n=50)
    constant = make().fit(np.column_stack([x, np.full(50, 7.0)]), y)
    np.testing.assert_allclose(constant.coef_[0, -1], 0.0)
    for factor in (1e150, 1e-150):
        far = make().fit(x * factor, y)
        assert (far.predict(x * factor) == make().fit(x, y).predict(x)).mean() > 0.95


def test_rounds_that_are_too_few_are_told():
    x, y, _ = rows()
    with pytest.warns(learnt.errors.ConvergenceWarning, match="stopped after 2 rounds"):
        model = LinearSVC(loss="hinge", solver="coordinate", max_iter=2, probability=False).fit(x, y)
    assert not model.converged_
    assert model.gap_ > 1e-4 * model.objective_


def test_settings_that_do_not_go_together_are_refused():
    x, y, _ = rows(n=20)
    for wrong in ({"penalty": "l1", "loss": "hinge"}, {"solver": "newton", "loss": "hinge"}, {"solver": "interior"}):
        with pytest.raises(ParameterError, match="LinearSVC"):
            LinearSVC(**wrong).fit(x, y)


def test_the_summary_tells_how_it_ended_and_what_weighs_most():
    x, y, _ = rows()
    text = str(LinearSVC().fit({f"x{j}": x[:, j] for j in range(5)}, y).summary())
    assert "converged" in text
    assert "(intercept)" in text
    assert "5 of 5 columns" in text


def test_large_tables_are_taken_as_they_came_and_end_within_tol(monkeypatch):
    x = sparse.random(3000, 300, 0.05, format="csr", random_state=0)
    y = np.asarray(x.sum(axis=1)).ravel() > 7.5
    few = LinearSVC(standardize=False, tol=1e-8).fit(x, y)
    monkeypatch.setattr("learnt.kernel.linear.in_memory.FEW_CELLS", 10)
    many = LinearSVC(standardize=False, tol=1e-8).fit(x, y)
    np.testing.assert_allclose(many.decision_function(x), few.decision_function(x), atol=1e-3)
    assert many.steepness_ == pytest.approx(few.steepness_, rel=0.05)
    single = LinearSVC(standardize=False, tol=1e-8).fit(x.astype(np.float32), y)
    np.testing.assert_allclose(single.decision_function(x), few.decision_function(x), atol=1e-3)
    with pytest.raises(InputError, match="sparse rows"):
        LinearSVC(loss="hinge", solver="interior").fit(x, y)
