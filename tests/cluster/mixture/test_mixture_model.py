"""MixtureModel against a plain EM, worked examples and awkward tables; the choice of how many components."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from tests.cluster.mixture.plain_em import plain_class_step

import learnt
from learnt import GaussianMixture, MixtureModel, Table, choose_components
from learnt.cluster.mixture.start import TakeRows
from learnt.engine.passes import Batch
from learnt.errors import ConvergenceWarning, InputError, ParameterError

TOWNS = ("Bern", "Basel", "Genève")


def people(n=200, gaps=0.15, seed=0):
    """Two kinds of people: the young of Bern, mostly, and the old of the other towns."""
    rng = np.random.default_rng(seed)
    old = rng.random(n) < 0.4
    town = np.where(old, rng.choice(3, n, p=[0.1, 0.5, 0.4]), rng.choice(3, n, p=[0.8, 0.1, 0.1]))
    cells = {
        "age": np.where(old, rng.normal(70, 6, n), rng.normal(30, 8, n)),
        "income": rng.normal(5000, 900, n),
        "town": np.array(TOWNS, dtype=object)[town],
        "owner": (rng.random(n) < np.where(old, 0.8, 0.2)).astype(object),
    }
    for values in cells.values():
        values[rng.random(n) < gaps] = np.nan if values.dtype == float else None
    return Table(cells), old


def quietly(model, table, weights=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(table, sample_weight=weights)


def never_falls(model):
    return bool(np.all(np.diff(model.lower_bounds_) >= -1e-11 * np.abs(model.lower_bounds_[1:])))


def test_hidden_kinds_are_found_in_a_mixed_table_with_gaps():
    table, old = people(600)
    model = MixtureModel(2, random_state=0).fit(table)
    found = model.predict(table) == int(model.means_[:, 0].argmax())
    assert (found == old).mean() > 0.97
    assert_allclose(np.sort(model.means_[:, 0]), [30, 70], atol=2)
    assert model.converged_


@pytest.mark.parametrize("smoothing", [1.0, 0.0])
def test_every_round_is_that_of_a_plain_em(smoothing):
    table, _ = people(80)
    x = np.column_stack([table["age"].values, table["income"].values])
    codes = np.column_stack([table["town"].values, table["owner"].values])
    blur, variance = 0.01 * np.nanvar(x, axis=0), np.nanvar(x, axis=0)
    frequency = [np.bincount(c[c >= 0]) / (c >= 0).sum() for c in codes.T]
    rules = (blur, 2.0, variance * 2.0 ** (-2 / 2), smoothing, frequency)
    settings = {"smoothing": smoothing, "variance_prior": 2, "reg_covar": 0.01, "tol": 0, "random_state": 0}
    one = quietly(MixtureModel(2, max_iter=1, **settings), table)
    now = one.weights_, one.means_, one.variances_, list(one.probabilities_.values())
    bounds = []
    for _ in range(4):
        *now, objective = plain_class_step(x, codes, *now, rules)
        bounds.append(objective)
    model = quietly(MixtureModel(2, max_iter=5, **settings), table)
    assert_allclose(model.weights_, now[0], rtol=1e-8)
    assert_allclose(model.means_, now[1], rtol=1e-8)
    assert_allclose(model.variances_, now[2], rtol=1e-8)
    for ours, plain in zip(model.probabilities_.values(), now[3], strict=True):
        assert_allclose(ours, plain, rtol=1e-8, atol=1e-12)
    # The objective is ours in other units: the same up to a constant.
    assert_allclose(np.diff(model.lower_bounds_[1:]) * 80, np.diff(bounds), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("init", ["kmeans", "random"])
def test_the_objective_never_falls(init):
    for seed in range(3):
        table, _ = people(150, gaps=0.4, seed=seed)
        for more in ({}, {"smoothing": 0, "variance_prior": 0}, {"reg_covar": 0.1, "weight_concentration_prior": 4}):
            model = quietly(MixtureModel(4, init=init, tol=0, max_iter=30, random_state=seed, **more), table)
            assert never_falls(model), more


def test_numbers_alone_without_priors_are_a_diagonal_gaussian_mixture():
    x = people(300, gaps=0.2)[0].select(["age", "income"])
    none = {"smoothing": 0, "variance_prior": 0, "tol": 0, "max_iter": 400, "random_state": 0}
    ours = quietly(MixtureModel(2, **none), x)
    gaussian = quietly(
        GaussianMixture(
            2, covariance_type="diag", tol=0, max_iter=400, means_init=ours.means_, weights_init=ours.weights_
        ),
        x,
    )
    assert gaussian.lower_bound_ == pytest.approx(ours.lower_bound_, rel=1e-7)
    assert_allclose(gaussian.means_, ours.means_, rtol=1e-4)
    assert ours.n_parameters_ == gaussian.n_parameters_ == 9
    assert ours.bic(x) == pytest.approx(gaussian.bic(x), rel=1e-6)


def test_weights_are_copies():
    table, _ = people()
    counts = np.random.default_rng(1).integers(0, 3, 200)
    counts[:2] = 1
    copies = table.take(np.repeat(np.arange(200), counts))
    weighted = MixtureModel(2, init=table.rows(0, 2)).fit(table, sample_weight=counts)
    copied = MixtureModel(2, init=table.rows(0, 2)).fit(copies)
    assert_allclose(weighted.predict_proba(table), copied.predict_proba(table), atol=1e-9)
    assert weighted.bic(table, counts) == pytest.approx(copied.bic(copies))


def test_the_log_density_is_the_sum_over_classes_of_products_over_columns():
    table, _ = people(30)
    model = MixtureModel(3, random_state=0).fit(table)
    logs, share = model.score_samples(table), model.predict_proba(table)
    ages, towns = table["age"].values, table["town"].values
    only = Table({"age": ages, "income": np.full(30, np.nan), "town": table["town"].labels(), "owner": [None] * 30})
    for i, found in enumerate(model.score_samples(only)):
        p = model.weights_.copy()
        if not np.isnan(ages[i]):
            v = model.variances_[:, 0]
            p *= np.exp(-0.5 * (ages[i] - model.means_[:, 0]) ** 2 / v) / np.sqrt(2 * np.pi * v)
        if towns[i] >= 0:
            p *= model.probabilities_["town"][:, towns[i]]
        assert found == pytest.approx(np.log(p.sum()), rel=1e-9)
    assert np.isfinite(logs).all()
    assert_allclose(share.sum(axis=1), 1)
    assert_allclose(np.exp(model.predict_log_proba(table)), share, atol=1e-12)


def test_an_unknown_category_says_nothing():
    table, _ = people()
    model = MixtureModel(2, random_state=0).fit(table)
    row = {"age": [50.0], "income": [5000.0], "town": ["Lugano"], "owner": [True]}
    without = {**row, "town": [None]}
    assert_array_equal(model.predict_proba(row), model.predict_proba(without))


def test_a_declared_category_that_never_occurs_has_probability_0_and_says_nothing():
    import pandas as pd

    frame = pd.DataFrame({"x": pd.Categorical(["a", "b"] * 10, categories=["a", "b", "never"]), "y": range(20)})
    model = MixtureModel(2, random_state=0).fit(frame)
    assert (model.probabilities_["x"][:, 2] == 0).all()
    asked = pd.DataFrame({"x": pd.Categorical(["never"], categories=["a", "b", "never"]), "y": [3]})
    assert_array_equal(model.predict_proba(asked), model.predict_proba({"x": [None], "y": [3]}))
    assert set(model.sample(200, random_state=0)[0]["x"].labels()) == {"a", "b"}


@pytest.mark.parametrize(
    "table",
    [
        {"x": [1.0] * 9, "y": ["a"] * 9},
        {"x": [None] * 9, "y": [None] * 9, "z": ["a", "b", None] * 3},
        {"x": [1e150, 2e150, 9e150] * 3, "y": [1e-150, 2e-150, None] * 3},
        {"größe": [0.0] * 8 + [1.0], "名前": ["x"] * 8 + ["y"]},
        {"z": [True, None, False] * 3},
    ],
    ids=["constant", "empty columns", "huge and tiny", "one row apart", "truths"],
)
def test_awkward_tables_give_sensible_models(table):
    for k in (1, 2, 5):
        model = quietly(MixtureModel(k, random_state=0), table)
        assert np.isfinite(model.predict_proba(table)).all()
        assert np.isfinite(model.score_samples(table)).all()
        assert never_falls(model)
        assert len(model.sample(4, random_state=0)[1]) == 4
        assert len(str(model).splitlines()) == k + 1
    with pytest.raises(InputError, match="n_samples=9 should be >= n_components=10"):
        MixtureModel(10).fit(table)


def test_the_rows_of_a_start_are_the_same_however_the_table_is_cut_and_have_weight_where_there_is_any():
    table, _ = people(100)
    weights = np.arange(100) % 2.0
    whole = TakeRows(40, seed=5).summarize(Batch(table, 0, None, weights))
    cut = TakeRows(40, seed=5).summarize(Batch(table.rows(0, 33), 0, None, weights[:33])) + TakeRows(
        40, seed=5
    ).summarize(Batch(table.rows(33, 100), 33, None, weights[33:]))
    rows, kept = whole.taken
    assert cut.taken[0].to_dict() == rows.to_dict()
    assert (kept == 1).all()
    assert rows.n_rows == len(kept) == 40


def test_new_rows_look_like_the_table():
    table, _ = people(2000, gaps=0.0)
    drawn, labels = MixtureModel(2, random_state=0).fit(table).sample(5000, random_state=1)
    assert drawn.kinds == table.kinds
    assert_allclose(drawn["age"].values.mean(), table["age"].values.mean(), rtol=0.05)
    shares = [np.bincount(t["town"].values, minlength=3) / t.n_rows for t in (drawn, table)]
    assert_allclose(*shares, atol=0.04)
    assert set(labels) == {0, 1}


def test_explanations_are_the_odds_column_by_column():
    table, _ = people()
    model = MixtureModel(3, random_state=0).fit(table)
    logs = model.predict_log_proba(table)
    for i in range(12):
        told = model.explain(table)[i]
        best, second = np.sort(logs[i])[::-1][:2]
        assert told.add_up() == pytest.approx(best - second, rel=1e-9, abs=1e-9)
        for e in told.evidence:
            if e.value is None:
                assert (e.contribution, e.words) == (0, "missing, left out")
    assert " % against " in next(e.words for e in told.evidence if e.column == "owner")


def test_the_summary_names_what_is_typical():
    table, _ = people(800)
    model = MixtureModel(2, random_state=0).fit(table)
    young = int(model.means_[:, 0].argmin())
    line = model.summary().splitlines()[1 + young]
    assert line.startswith(f"class {young}, ")
    assert "town 'Bern' 8" in line
    assert "age 30" in line or "age 29" in line
    assert "income" not in line


def test_what_cannot_be_done_is_said():
    table, _ = people(20)
    with pytest.raises(InputError, match=r"init has shape \(3, 4\).*\(2, 4\)"):
        MixtureModel(2, init=table.rows(0, 3)).fit(table)
    with pytest.raises(ParameterError, match="smoothing=-1"):
        MixtureModel(smoothing=-1).fit(table)


# How many components


def test_bic_finds_how_many_clouds_there_are():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(c, 1, (100, 2)) for c in (0, 8, 16)])
    choice = choose_components(x, GaussianMixture(random_state=0), most=5)
    assert choice.best.n_components == 3
    assert choice.n_components == (1, 2, 3, 4, 5)
    for model, bic, aic in zip(choice.models, choice.bic, choice.aic, strict=True):
        assert bic == pytest.approx(model.bic(x))
        assert aic == pytest.approx(model.aic(x))
    assert str(choice).splitlines()[3].endswith("← lowest BIC")


def test_a_mixed_table_is_taken_to_latent_classes():
    table, _ = people(400)
    choice = choose_components(table, most=3)
    assert isinstance(choice.best, MixtureModel)
    assert choice.best.n_components == 2
    assert choose_components({"x": [1.0, 2.0]}, most=9).n_components == (1, 2)
    with pytest.raises(ParameterError, match="KMeans"):
        choose_components(table, learnt.KMeans())
    with pytest.raises(ParameterError, match="most=0"):
        choose_components(table, most=0)


def test_pictures_show_two_ellipses_for_each_component():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.patches import Ellipse

    x = np.random.default_rng(0).multivariate_normal([1, 2], [[4, 1.5], [1.5, 1]], 300)
    table = {"a": x[:, 0], "b": x[:, 1], "c": np.random.default_rng(1).normal(size=300)}
    for shape in ("full", "tied", "diag", "spherical"):
        model = GaussianMixture(2, covariance_type=shape, random_state=0).fit(table)
        ax = model.plot(table, ["a", "b"])
        ellipses = [patch for patch in ax.patches if isinstance(patch, Ellipse)]
        assert len(ellipses) == 8  # two sizes, filled and drawn
        assert ax.get_xlabel() == "a"
    sigma = np.linalg.eigvalsh(np.cov(x.T, ddof=0))[::-1]
    one = GaussianMixture(reg_covar=0).fit(table).plot(table, ["a", "b"]).patches[0]
    assert_allclose([one.width, one.height], 2 * np.sqrt(sigma), rtol=1e-9)
    with pytest.raises(InputError, match="two columns"):
        GaussianMixture().fit(x[:, :1]).plot(x[:, :1])
    with pytest.raises(InputError, match="'d'"):
        model.plot(table, ["a", "d"])
    assert choose_components(table, most=2).plot().get_xlabel() == "components"
    plt.close("all")
