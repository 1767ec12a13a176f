"""Penalties chosen by cross-validation, adapted to a pilot fit, and shared by the indicators of a column."""

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import linear_model
from tests.linear.penalised.penalised_cases import centred, data, mixed

import learnt
from learnt import ElasticNet, Lasso, LinearRegression
from learnt.errors import InputError
from learnt.linear.penalised.choice import PenaltyChoice, folds_of


def test_folds_are_even_and_do_not_depend_on_how_rows_are_cut():
    whole = folds_of(0, 103, 5)
    counts = np.bincount(whole)
    assert counts.max() - counts.min() <= 1
    assert len(set(map(tuple, whole[:100].reshape(-1, 5).tolist()))) > 1  # drawn, not dealt out in turn
    for cut in (1, 4, 50, 102):
        assert_array_equal(np.append(folds_of(0, cut, 5), folds_of(cut, 103 - cut, 5)), whole)


@pytest.mark.parametrize("shape", [(80, 12), (40, 90)])
@pytest.mark.parametrize("weighted", [True, False])
def test_errors_of_folds_are_those_of_fits_without_them(shape, weighted):
    x, y = data(*shape, noise=3.0)
    w = np.random.default_rng(0).uniform(0.5, 2, len(y)) if weighted else None
    choice = Lasso(alpha="cv", folds=4, tol=1e-12).fit(x, y, w).choice_
    folds = folds_of(0, len(y), 4)
    for at in (10, 60):
        for k in range(4):
            train, test = folds != k, folds == k
            part = linear_model.Lasso(alpha=choice.alphas[at], tol=1e-12, max_iter=100_000)
            part.fit(x[train], y[train], sample_weight=None if w is None else w[train])
            expected = np.average((y - part.predict(x))[test] ** 2, weights=None if w is None else w[test])
            assert_allclose(choice.errors[k, at], expected, rtol=2e-3)


def test_rows_and_cross_products_choose_the_same():
    x, y = data(60, 20, noise=3.0)
    one = Lasso(alpha="cv").fit(x, y)
    wide = np.column_stack([x, np.zeros((60, 50))])  # more columns than rows: the other road
    two = Lasso(alpha="cv").fit(wide, y)
    assert_allclose(two.choice_.errors, one.choice_.errors, rtol=1e-4)
    assert two.alpha_ == pytest.approx(one.alpha_)
    three = Lasso(alpha="cv").fit(scipy.sparse.csr_matrix(wide), y)
    assert_allclose(three.choice_.errors, one.choice_.errors, rtol=1e-4)


def test_the_rule_of_one_standard_error_takes_the_largest_penalty_not_clearly_worse():
    errors = np.array([[9.0, 4.0, 3.0, 3.5], [9.0, 4.2, 4.1, 3.9]])
    settings = (np.array([8.0, 4.0, 2.0, 1.0]), errors, np.ones(2))
    assert PenaltyChoice(*settings, "min").alpha == 2.0
    one = PenaltyChoice(*settings, "1se")
    assert_allclose(one.mean, [9, 4.1, 3.55, 3.7])
    assert_allclose(one.standard_error[2], np.std([3.0, 4.1], ddof=1) / np.sqrt(2))
    assert one.alpha == 4.0  # 4.1 ≤ 3.55 + 0.55
    assert "smallest error" in str(one)
    assert "alpha 4" in str(one)


def test_the_simpler_rule_uses_fewer_columns_and_predicts_about_as_well():
    x, y = data(120, 30, noise=3.0)
    small, best = (Lasso(alpha="cv", rule=rule).fit(x, y) for rule in ("1se", "min"))
    assert small.alpha_ > best.alpha_
    assert np.count_nonzero(small.coef_) < np.count_nonzero(best.coef_)
    assert best.alpha_ == best.choice_.alphas[best.choice_.mean.argmin()]
    assert_allclose(Lasso(alpha=best.alpha_).fit(x, y).coef_, best.coef_, rtol=1e-9)


def test_too_few_rows_for_the_folds_are_an_error():
    x, y = data(3, 2)
    with pytest.raises(InputError, match="folds=5"):
        Lasso(alpha="cv").fit(x, y)


def test_a_scan_chooses_what_the_table_chooses(tmp_path):
    table, y = mixed()
    whole = learnt.Table(table | {"goal": y})
    for k, cut in enumerate(((0, 70), (70, 300))):
        rows = whole.rows(*cut)
        import pyarrow as pa
        import pyarrow.parquet

        pa.parquet.write_table(pa.table(rows.to_dict()), tmp_path / f"{k}.parquet")
    scanned = ElasticNet(alpha="cv").fit(learnt.scan(sorted(tmp_path.glob("*.parquet"))), "goal")
    direct = ElasticNet(alpha="cv").fit(whole, "goal")
    assert_allclose(scanned.choice_.errors, direct.choice_.errors, rtol=1e-5)
    assert_allclose(scanned.coef_, direct.coef_, rtol=1e-7, atol=1e-9)


def test_a_saved_model_keeps_its_choice(tmp_path):
    x, y = data()
    model = Lasso(alpha="cv").fit(x, y)
    learnt.save(model, tmp_path / "m")
    again = learnt.load(tmp_path / "m")
    assert_array_equal(again.choice_.errors, model.choice_.errors)
    assert again.choice_.alpha == model.alpha_


@pytest.mark.parametrize("shape", [(200, 8), (20, 40)])
def test_the_adaptive_lasso_is_a_lasso_on_columns_times_the_pilot(shape):
    x, y = data(*shape)
    from learnt.linear.penalised.pilot import pilot_coefficients
    from learnt.linear.penalised.problem import RowProblem

    pilot = np.abs(pilot_coefficients(RowProblem(x, y, None, True)))
    by_hand = linear_model.Lasso(alpha=0.2, tol=1e-14, max_iter=200_000).fit(x * pilot, y)
    model = Lasso(alpha=0.2, adaptive=True).fit(x, y)
    assert_allclose(model.coef_, by_hand.coef_ * pilot, rtol=0, atol=1e-6)


def test_the_adaptive_lasso_shrinks_what_matters_less():
    x, y = data(400, 12)
    exact = LinearRegression().fit(x, y).coef_[:5]
    adaptive = Lasso(alpha="cv", adaptive=True).fit(x, y)
    plain = Lasso(alpha="cv").fit(x, y)
    assert_array_equal(np.flatnonzero(adaptive.coef_), np.arange(5))
    assert np.abs(adaptive.coef_[:5] - exact).max() < np.abs(plain.coef_[:5] - exact).max()


def test_penalties_end_earlier_where_rows_are_fewer_than_columns():
    for shape, smallest in (((60, 20), 1e-3), ((20, 60), 1e-2)):
        alphas = Lasso(alpha="cv", folds=3).fit(*data(*shape)).choice_.alphas
        assert_allclose(alphas[-1] / alphas[0], smallest)


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_the_choice_does_not_depend_on_the_unit_of_the_target(scale):
    x, y = data(80, 6)
    plain, scaled = Lasso(alpha="cv").fit(x, y), Lasso(alpha="cv").fit(x, y * scale)
    assert plain.choice_.chosen == scaled.choice_.chosen > 0
    assert_allclose(scaled.coef_ / scale, plain.coef_, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("storage", [np.asarray, scipy.sparse.csr_matrix])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_pilot_without_a_decomposition_is_a_ridge_that_predicts_as_well(monkeypatch, storage, weighted):
    from learnt.linear.penalised import pilot
    from learnt.linear.penalised.problem import RowProblem

    x, y = data(300, 120)
    w = np.random.default_rng(1).integers(0, 3, 300).astype(float) if weighted else None
    problem = RowProblem(storage(x), y, w, True)
    decomposed = pilot.pilot_coefficients(problem)
    monkeypatch.setattr(pilot, "MOST", 50)
    tried = []
    whole = pilot._ridge
    monkeypatch.setattr(pilot, "_ridge", lambda *given: tried.append(given[1]) or whole(*given))
    found = pilot.pilot_coefficients(problem)
    assert len(tried) > 3
    assert np.corrcoef(found, decomposed)[0, 1] > 0.99
    centre, spread = np.average(x, axis=0, weights=w), np.sqrt(problem.square)
    z, weights = (x - centre) / spread, np.full(300, 1 / 300) if w is None else w / w.sum()
    normal = z.T @ (weights[:, None] * z) + tried[-1] * np.eye(120)
    exact = np.linalg.solve(normal, z.T @ (weights * (y - weights @ y))) / spread
    assert_allclose(found, exact, atol=0.01 * np.abs(exact).max())


def test_a_pilot_tries_penalties_on_rows_it_has_not_seen(monkeypatch):
    from learnt.linear.penalised import pilot
    from learnt.linear.penalised.problem import RowProblem

    rng = np.random.default_rng(3)
    x, noise = rng.standard_normal((300, 120)), rng.standard_normal(300)
    monkeypatch.setattr(pilot, "MOST", 50)
    found = pilot.pilot_coefficients(RowProblem(x, noise, None, True))
    overfitted = LinearRegression().fit(x, noise).coef_
    assert np.abs(found).max() < 0.5 * np.abs(overfitted).max()


def test_the_adaptive_lasso_takes_more_than_any_matrix_of_rows_or_columns_holds():
    rng = np.random.default_rng(2)
    cells = rng.random(240_000), (rng.integers(0, 6000, 240_000), rng.integers(0, 20_000, 240_000))
    x = scipy.sparse.csr_matrix(cells, shape=(6000, 20_000))
    true = np.zeros(20_000)
    true[:10] = 5.0
    y = x @ true + 0.02 * rng.standard_normal(6000)
    model = Lasso(alpha=1e-4, adaptive=True).fit(x, y)
    assert set(np.flatnonzero(model.coef_)) == set(range(10))
    assert_allclose(model.coef_[:10], 5.0, rtol=0.15)


def test_the_pilot_does_not_depend_on_units():
    x, y = data(100, 6)
    unit = np.geomspace(1e-3, 1e3, 6)
    one, two = (Lasso(alpha=0.1, adaptive=True).fit(x * u, y) for u in (1.0, unit))
    assert_allclose(two.coef_ * unit, one.coef_, rtol=1e-7, atol=1e-10)


def groups_of(model):
    return model._design.owner


@pytest.mark.parametrize("alpha", [0.003, 0.05, 0.3])
@pytest.mark.parametrize("settings", [{}, {"standardize": True}])
def test_groups_meet_their_conditions_of_optimality(alpha, settings):
    table, y = mixed()
    model = Lasso(alpha=alpha, group=True, **settings).fit(table, y)
    design = learnt.linear.weighted_sum.dense(model._design.encode(learnt.Table(table)))
    x, t = centred(design, y)
    pull, owner = x.T @ (t - x @ model.coef_), groups_of(model)
    for g in np.unique(owner):
        mine = owner == g
        spread = np.sqrt(np.mean(np.sum(x[:, mine] ** 2, axis=0))) if settings else 1.0
        l1, b = alpha * np.sqrt(mine.sum()) * spread, model.coef_[mine]
        if b.any():
            assert (b != 0).all()  # together, or not at all
            assert_allclose(pull[mine], l1 * b / np.linalg.norm(b), atol=1e-9)
        else:
            assert np.linalg.norm(pull[mine]) <= l1 * (1 + 1e-9)
    assert model.converged_
    assert model.gap_ < 1e-9 * y.var()


def test_groups_of_single_columns_are_the_lasso():
    x, y = data()
    assert_allclose(Lasso(alpha=0.1, group=True).fit(x, y).coef_, Lasso(alpha=0.1).fit(x, y).coef_, rtol=1e-10)


def test_a_group_of_thousands_of_categories_is_solved_sparse():
    rng = np.random.default_rng(0)
    codes = np.concatenate([np.arange(3000), rng.integers(3000, size=2000)])
    table = {"id": [f"c{c}" for c in codes], "x": rng.normal(size=5000)}
    y = 2 * table["x"] + rng.normal(size=5000)
    model = Lasso(alpha=0.05, group=True).fit(table, y)
    owner = groups_of(model)
    assert not model.coef_[owner == 0].any()
    assert model.coef_[owner == 1][0] == pytest.approx(2 - 0.05 / table["x"].var(), abs=0.1)
