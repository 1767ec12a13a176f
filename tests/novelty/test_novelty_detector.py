"""The front: rates of false alarms, weights, copies, order, threads, saving, explanations, hostile tables."""

import warnings

import numpy as np
import pytest
from sklearn.ensemble import IsolationForest as TheirForest
from sklearn.metrics import roc_auc_score
from tests.novelty.tables import METHODS, NAMES, mixed_table, part

import learnt
from learnt import NoveltyDetector
from learnt.errors import InputError, ParameterError

each_method = pytest.mark.parametrize("settings", METHODS, ids=NAMES)


def false_alarms(settings, seeds, rate=0.1):
    """The share of new rows of the same kind that are called novel."""
    found = []
    for seed in seeds:
        table = mixed_table(800, seed)
        model = NoveltyDetector(**settings, false_alarms=rate, random_state=seed).fit(part(table, slice(0, 400)))
        found.append((model.predict(part(table, slice(400, 800))) == -1).mean())
    return float(np.mean(found))


@each_method
def test_false_alarms_are_about_as_many_as_asked_for(settings):
    # One run has a standard deviation of 0.03, twelve of a hundredth.
    seeds = 4 if settings.get("distance") == "robust" else 12
    assert 0.06 < false_alarms({**settings, "calibration": "split", "folds": 4}, range(seeds)) < 0.14


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.1, 0.05])
@pytest.mark.parametrize("calibration", [{"calibration": "cross"}, {"calibration": "split", "folds": 4}])
@each_method
def test_over_200_seeds_false_alarms_are_within_a_tenth_of_the_rate(settings, calibration, rate):
    assert abs(false_alarms({**settings, **calibration}, range(200), rate) - rate) <= 0.1 * rate


@each_method
def test_planted_rows_are_found_and_the_columns_at_fault_named(settings):
    table = mixed_table(500, 1)
    odd = part(mixed_table(30, 2), slice(None))
    at_fault = {"c"}
    odd["c"] = np.full(30, 40.0)
    if settings["method"] == "reconstruction":  # a column of its own is a component, which loses nothing of it
        at_fault, odd["a"], odd["b"] = {"a", "b"}, np.full(30, 5.0), np.full(30, -5.0)
    model = NoveltyDetector(**settings).fit(table)
    assert (model.predict(odd) == -1).mean() > 0.8
    assert model.p_values(odd).mean() < 0.05
    named = [e.by_size()[0].column for e in model.explain(odd)]
    assert sum(name in at_fault for name in named) > 20


@each_method
def test_explanations_add_up_to_the_score(settings):
    table = mixed_table(200, 3)
    model = NoveltyDetector(**settings).fit(table)
    new = part(mixed_table(15, 4), slice(None))
    told = model.explain(new)
    np.testing.assert_allclose([e.add_up() for e in told], -model.score_samples(new), rtol=1e-9, atol=1e-12)
    assert [e.prediction for e in told] == model.predict(new).tolist()
    assert all(len(e.evidence) == 4 for e in told)
    assert "p-value" in str(told[0])


@each_method
def test_a_weight_of_two_is_a_row_twice_and_one_of_zero_is_none(settings):
    table, new = mixed_table(150, 5), mixed_table(40, 6)
    copies = np.random.default_rng(7).integers(0, 4, 150)
    weighted = NoveltyDetector(**settings).fit(table, sample_weight=copies.astype(float))
    repeated = NoveltyDetector(**settings).fit(part(table, np.repeat(np.arange(150), copies)))
    tolerance = 1e-3 if settings["method"] == "one_class" else 1e-7  # how far its solver goes
    np.testing.assert_allclose(weighted.score_samples(new), repeated.score_samples(new), rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(weighted.p_values(new), repeated.p_values(new), atol=0.02 if tolerance > 1e-6 else 1e-12)


@each_method
def test_neither_the_order_of_rows_nor_threads_nor_other_rows_change_a_bit(settings):
    table, new = mixed_table(300, 8), mixed_table(50, 9)
    order = np.random.default_rng(10).permutation(300)
    with learnt.threads(1):
        first = NoveltyDetector(**settings).fit(table).score_samples(new)
    with learnt.threads(3):
        model = NoveltyDetector(**settings).fit(part(table, order))
        assert np.array_equal(model.score_samples(new), first)
    alone = [float(model.score_samples(part(new, slice(i, i + 1)))[0]) for i in range(10)]
    np.testing.assert_array_equal(alone, first[:10])


@each_method
def test_saved_and_loaded_it_says_the_same(settings, tmp_path):
    table, new = mixed_table(120, 11), mixed_table(20, 12)
    model = NoveltyDetector(**settings).fit(table)
    learnt.save(model, tmp_path / "m.learnt")
    again = learnt.load(tmp_path / "m.learnt")
    np.testing.assert_array_equal(again.p_values(new), model.p_values(new))
    np.testing.assert_array_equal(again.score_samples(new), model.score_samples(new))


HOSTILE = {
    "one row": {"x": [1.0], "y": ["a"]},
    "two rows": {"x": [1.0, 2.0], "y": ["a", "b"]},
    "nothing varies": {"x": [1.0] * 50, "y": ["a"] * 50},
    "more copies than neighbours": {"x": [1.0] * 60 + [2.0] * 40 + [3.0, 4.0, 5.0]},
    "a column of gaps": {"x": [float("nan")] * 40, "y": [float(i % 7) for i in range(40)]},
    "gaps alone": {"x": [float("nan")] * 30},
    "labels alone": {"x": list("aabbbc" * 10), "y": list("uvwxyz" * 10)},
    "large and small": {"x": [1e150 * i for i in range(60)], "y": [1e-150 * (i % 7) for i in range(60)]},
    "as large as can be": {"x": [1e300 * (-1) ** i * i / 60 for i in range(60)]},
}


@pytest.mark.costly
@pytest.mark.parametrize("name", HOSTILE)
@each_method
def test_hostile_tables_give_finite_scores_and_sums_that_hold(settings, name):
    table = HOSTILE[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = NoveltyDetector(**{**settings, "n_estimators": 5}).fit(table)
    few = {column: cells[:5] for column, cells in table.items()}
    scores, p = model.score_samples(few), model.p_values(few)
    assert np.isfinite(scores).all()
    assert ((p > 0) & (p <= 1)).all()
    np.testing.assert_allclose([-e.add_up() for e in model.explain(few)], scores, rtol=1e-9, atol=1e-9)


@pytest.mark.filterwarnings("ignore:p-values by")
@pytest.mark.parametrize("size", [1e-100, 1e100])
@each_method
def test_weights_may_be_of_any_size(settings, size):
    table = mixed_table(40, 16)
    weights = np.random.default_rng(17).random(40) * size
    scores = NoveltyDetector(**{**settings, "n_estimators": 5}).fit(table, sample_weight=weights).score_samples(table)
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("settings", METHODS[:5], ids=NAMES[:5])
def test_ten_thousand_labels_are_taken_and_a_new_one_is_novel(settings):
    table = {"x": [f"c{i}" for i in range(10_000)] + ["c0"] * 2000, "y": np.arange(12_000) % 13 / 1.0}
    model = NoveltyDetector(**settings).fit(table)
    assert model.n_held_out_ == 2400
    assert model.predict({"x": ["c0", "nowhere"], "y": [3.0, 500.0]}).tolist() == [1, -1]


def test_infinite_cells_are_refused():
    with pytest.raises(InputError, match="infinit"):
        NoveltyDetector().fit([[1.0], [np.inf]])
    model = NoveltyDetector(false_alarms=0.2).fit(np.arange(20.0)[:, None])
    with pytest.raises(InputError, match="infinit"):
        model.predict([[np.inf]])


def test_too_few_rows_for_the_rate_are_told():
    with pytest.warns(UserWarning, match="no row will be called novel"):
        model = NoveltyDetector(false_alarms=0.01).fit(np.arange(20.0)[:, None])
    assert model.predict([[1e6]]).tolist() == [1]
    assert model.n_held_out_ == 20


def test_contamination_calls_that_share_of_the_fitted_rows_novel():
    x = np.random.default_rng(13).normal(size=(200, 3))
    model = NoveltyDetector(contamination=0.1)
    assert (model.fit_predict(x) == -1).sum() == 20
    assert (model.held_out_p_values_ <= 0.1).sum() == 20
    assert str(model) == "forest, 10 % of the fitted rows novel, by 200 rows held out"


def test_fit_predict_judges_rows_by_models_that_have_not_seen_them():
    x = np.random.default_rng(14).normal(size=(300, 2))
    x[:6] += 9
    for method in ("forest", "density", "distance"):
        found = NoveltyDetector(method, false_alarms=0.05).fit_predict(x)
        assert (found[:6] == -1).all()
        assert (found == -1).sum() <= 15


def test_a_split_holds_out_a_fold_and_no_more_than_needed():
    x = np.random.default_rng(15).normal(size=(120_000, 1))
    model = NoveltyDetector(n_estimators=5).fit(x)
    assert model.n_held_out_ == 20_000
    assert np.isfinite(model.held_out_p_values_).sum() == 20_000
    assert NoveltyDetector(n_estimators=5, calibration="split").fit(x[:100]).n_held_out_ == 20


@pytest.mark.costly
def test_the_forest_finds_planted_rows_as_well_as_scikit_learns():
    ours, theirs = [], []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(1000, 6)) @ rng.normal(size=(6, 6))
        new = np.vstack([rng.normal(size=(300, 6)) @ rng.normal(size=(6, 6)), rng.uniform(-8, 8, (60, 6))])
        truth = np.repeat([0, 1], [300, 60])
        model = NoveltyDetector(calibration="split", random_state=seed).fit(x)
        ours.append(roc_auc_score(truth, -model.score_samples(new)))
        theirs.append(roc_auc_score(truth, -TheirForest(random_state=seed).fit(x).score_samples(new)))
    assert np.mean(ours) > np.mean(theirs) - 0.02


@pytest.mark.costly
def test_it_passes_the_checks_of_scikit_learn():
    from sklearn.utils.estimator_checks import check_estimator

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for settings in METHODS[:2]:
            found = check_estimator(NoveltyDetector(**settings), on_fail=None, on_skip=None)
            assert [check for check in found if check["status"] not in ("passed", "skipped")] == []


def test_settings_are_checked():
    for wrong in ({"method": "magic"}, {"false_alarms": 0.0}, {"contamination": 0.6}, {"folds": 1}):
        with pytest.raises(ParameterError):
            NoveltyDetector(**wrong).fit([[1.0], [2.0]])
