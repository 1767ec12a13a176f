"""Curves as objects: their points are the metrics', they print, draw, and become frames."""

import math
import warnings
import xml.etree.ElementTree as ET

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
import sklearn.metrics as sk

import learnt
from learnt.errors import InputError, LearntError, ParameterError
from learnt.evaluate import curves, metrics

mpl.use("Agg")
RNG = np.random.default_rng(0)
TRUTH = np.where(RNG.random(300) < 0.3, "ill", "well")
P = 1 / (1 + np.exp(-RNG.normal(1.4 * (TRUTH == "well") - 0.3, 1.2)))
WEIGHTS = RNG.integers(0, 4, 300) / 2
ANSWER = np.where(P > 0.5, "well", "ill")
NUMBERS = RNG.gamma(2, 3, 300)
FORECAST = NUMBERS * 0.9 + RNG.normal(0, 1, 300)


@pytest.fixture(scope="module")
def model():
    table = learnt.datasets.breast_cancer()
    return learnt.NaiveBayesClassifier().fit(table), table


ALL = {
    "roc": lambda: curves.roc(TRUTH, P),
    "precision_recall": lambda: curves.precision_recall(TRUTH, P),
    "calibration": lambda: curves.calibration(TRUTH, P),
    "gain": lambda: curves.gain(TRUTH, P),
    "confusion": lambda: curves.confusion(TRUTH, ANSWER),
    "residuals": lambda: curves.residuals(NUMBERS, FORECAST),
}


@pytest.mark.costly
@pytest.mark.parametrize("name", ALL)
def test_a_curve_prints_draws_and_becomes_a_frame(name):
    import matplotlib.pyplot as plt

    curve = ALL[name]()
    assert str(curve).count("\n") >= 3
    assert repr(curve).startswith(f"<{type(curve).__name__}")
    _, ax = plt.subplots()
    assert curve.plot(ax) is ax
    assert curve.plot() is not ax
    plt.close("all")
    ET.fromstring(curve._repr_svg_())
    assert curve._repr_svg_() == ALL[name]()._repr_svg_()
    assert curve._repr_html_().startswith("<")
    assert isinstance(curve.to_frame(), pd.DataFrame)
    assert len(curve.to_frame()) > 0


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_a_roc_curve_is_scikit_learns_for_the_second_class(weights):
    curve = curves.roc(TRUTH, P, sample_weight=weights)
    expected = sk.roc_curve(TRUTH == "well", P, sample_weight=weights)
    np.testing.assert_allclose((curve.false_positive_rate, curve.true_positive_rate), expected[:2])
    assert curve.auc == pytest.approx(sk.roc_auc_score(TRUTH == "well", P, sample_weight=weights))
    assert (curve.interval is None) == (weights is not None)
    other = curves.roc(TRUTH, 1 - P, pos_label="ill", sample_weight=weights)
    assert other.auc == pytest.approx(curve.auc)


def test_reading_off_a_roc_curve_takes_the_top_of_a_step():
    curve = curves.roc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    assert curve.at([0, 0.25, 0.5, 1]).tolist() == [0.5, 0.5, 1, 1]


def test_reading_off_a_precision_recall_curve_takes_the_best_that_finds_as_much():
    curve = curves.precision_recall(TRUTH, P)
    for recall in (0.01, 0.3, 0.77, 1.0):
        assert curve.at(recall) == curve.precision[curve.recall >= recall - 1e-12].max()
    assert curve.average_precision == pytest.approx(sk.average_precision_score(TRUTH == "well", P))
    assert curve.prevalence == np.mean(TRUTH == "well")
    assert curve.at(1.0) >= curve.prevalence


def test_calibration_shows_the_bins_of_scikit_learn_with_wilsons_intervals():
    curve = curves.calibration(TRUTH, P, n_bins=7)
    share, mean = metrics.calibration_curve(TRUTH == "well", P, n_bins=7)
    np.testing.assert_allclose(curve.share, share)
    np.testing.assert_allclose(curve.probability, mean)
    first = metrics.proportion_interval(curve.share[0] * curve.rows[0], curve.rows[0])
    assert (curve.low[0], curve.high[0]) == pytest.approx(tuple(first))
    assert curve.rows.sum() == 300
    assert curve.brier == pytest.approx(sk.brier_score_loss(TRUTH == "well", P))
    assert curve.expected_error == pytest.approx(metrics.expected_calibration_error(TRUTH == "well", P, n_bins=7))


def test_unequal_weights_widen_the_intervals_of_a_calibration_curve():
    even = curves.calibration(TRUTH, P, n_bins=1, sample_weight=np.full(300, 2))
    assert (even.low[0], even.high[0]) == pytest.approx(tuple(metrics.proportion_interval(even.share[0] * 300, 300)))
    uneven = curves.calibration(TRUTH, P, n_bins=1, sample_weight=np.where(np.arange(300) % 2, 1, 9))
    assert uneven.high[0] - uneven.low[0] > even.high[0] - even.low[0]


def test_gain_counts_positives_among_the_highest_scores():
    curve = curves.gain(TRUTH, P)
    order = np.argsort(-P)
    for share in (0.1, 0.5, 1.0):
        top = order[: round(share * 300)]
        assert curve.at(share) == pytest.approx((TRUTH[top] == "well").sum() / (TRUTH == "well").sum())
    assert curve.lift[-1] == 1
    assert np.isnan(curve.lift[0])


def test_a_confusion_matrix_knows_its_shares():
    matrix = curves.confusion(TRUTH, ANSWER)
    np.testing.assert_array_equal(matrix.counts, sk.confusion_matrix(TRUTH, ANSWER))
    np.testing.assert_array_equal(np.asarray(matrix), matrix.counts)
    np.testing.assert_allclose(matrix.shares, sk.confusion_matrix(TRUTH, ANSWER, normalize="true"))
    np.testing.assert_allclose(matrix.recall, sk.recall_score(TRUTH, ANSWER, average=None))
    np.testing.assert_allclose(matrix.precision, sk.precision_score(TRUTH, ANSWER, average=None))
    assert matrix.accuracy == pytest.approx(sk.accuracy_score(TRUTH, ANSWER))
    assert matrix.labels == ("ill", "well")
    assert matrix.to_frame().loc["ill", "well"] == matrix.counts[0, 1]


def test_a_class_never_answered_has_no_precision():
    matrix = curves.confusion([0, 1], [0, 0])
    assert math.isnan(matrix.precision[1])
    assert "–" in str(matrix)


def test_many_classes_are_summed_up_by_their_confusions():
    truth = np.arange(30) % 15
    answer = np.where(truth == 3, 4, truth)
    matrix = curves.confusion(truth, answer)
    assert matrix.confused() == [(3, 4, 2.0)]
    assert "3 taken for 4: 2" in str(matrix)
    matrix.plot()


def test_residuals_are_truth_minus_answer():
    plot = curves.residuals(NUMBERS, FORECAST)
    np.testing.assert_array_equal(plot.residual, NUMBERS - FORECAST)
    middles, quartiles = plot.quartiles(5)
    assert (np.diff(middles) > 0).all()
    lowest = plot.residual[np.argsort(FORECAST)[:60]]
    np.testing.assert_allclose(quartiles[0], np.quantile(lowest, [0.25, 0.5, 0.75]))
    assert f"worst: row {np.abs(plot.residual).argmax()}" in str(plot)
    assert "1 rows" in str(curves.residuals([1], [2]))


def test_a_fitted_classifier_and_its_rows_make_every_curve(model):
    classifier, table = model
    truth = classifier.classes_[np.array([list(classifier.classes_).index(c) for c in table[table.target].labels()])]
    p = classifier.predict_proba(table)[:, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert curves.RocCurve.of(classifier, table).auc == curves.roc(truth, p).auc
    found = curves.PrecisionRecallCurve.of(classifier, table, table.target)
    assert found.average_precision == curves.precision_recall(truth, p).average_precision
    np.testing.assert_array_equal(
        curves.CalibrationCurve.of(classifier, table).share, curves.calibration(truth, p).share
    )
    np.testing.assert_array_equal(curves.GainCurve.of(classifier, table).gain, curves.gain(truth, p).gain)
    matrix = curves.ConfusionMatrix.of(classifier, table)
    np.testing.assert_array_equal(matrix.counts, sk.confusion_matrix(truth, classifier.predict(table)))
    assert matrix.accuracy == pytest.approx(classifier.score(table))


def test_one_of_several_classes_is_set_against_the_rest():
    table = learnt.datasets.iris()
    classifier = learnt.NaiveBayesClassifier().fit(table)
    curve = curves.RocCurve.of(classifier, table, pos_label="Iris-versicolor")
    labels = np.array(table[table.target].labels())
    p = classifier.predict_proba(table)[:, list(classifier.classes_).index("Iris-versicolor")]
    assert curve.auc == pytest.approx(sk.roc_auc_score(labels == "Iris-versicolor", p))
    with pytest.raises(ParameterError, match="pos_label"):
        curves.RocCurve.of(classifier, table)


def test_a_fitted_regressor_and_its_rows_make_residuals():
    table = learnt.datasets.cpu()
    regressor = learnt.LinearRegression().fit(table)
    plot = curves.ResidualPlot.of(regressor, table)
    np.testing.assert_allclose(plot.answer, regressor.predict(table))
    np.testing.assert_allclose(plot.truth, table[table.target].values)


def test_a_class_the_model_never_saw_is_a_row_of_its_confusion_matrix():
    classifier = learnt.MajorityClassifier().fit({"x": [1, 2, 3]}, ["a", "b", "b"])
    matrix = curves.ConfusionMatrix.of(classifier, {"x": [1, 2]}, ["b", "new"])
    assert matrix.labels == ("a", "b", "new")
    assert matrix.counts.tolist() == [[0, 0, 0], [0, 1, 0], [0, 1, 0]]


def test_hostile_names_stay_on_their_line_and_out_of_the_markup():
    truth = ["<script>", "$x$\n"] * 10
    matrix = curves.confusion(truth, truth)
    assert "<script>" not in matrix._repr_html_()
    assert len(str(matrix).splitlines()) == 5
    curve = curves.roc(truth, np.arange(20))
    assert "<script>" not in curve._repr_html_()
    ET.fromstring(curve._repr_svg_())
    ET.fromstring(matrix._repr_svg_())
    assert len(str(curve).splitlines()) == 8


@pytest.mark.parametrize(
    "call",
    [
        lambda: curves.roc([1, 1], [0.1, 0.2]),
        lambda: curves.roc([0, 1, 2], [0.1, 0.2, 0.3]),
        lambda: curves.roc([0, 1], [0.1, 0.2], sample_weight=[0, 1]),
        lambda: curves.roc([0, 1], [0.1, 0.2], pos_label=9),
        lambda: curves.calibration([0, 1], [0.1, 1.2]),
        lambda: curves.residuals([1, float("nan")], [1, 2]),
    ],
)
def test_rows_without_a_curve_are_refused(call):
    with pytest.raises(InputError):
        call()


def test_models_that_cannot_be_asked_are_refused():
    regressor = learnt.MeanRegressor().fit({"x": [1, 2]}, [1.0, 2.0])
    for call in (
        lambda: curves.RocCurve.of(regressor, {"x": [1, 2]}, [0, 1]),
        lambda: curves.ConfusionMatrix.of(regressor, {"x": [1, 2]}, [0, 1]),
        lambda: curves.gain(TRUTH, P).plot(what="loss"),
    ):
        with pytest.raises(LearntError):
            call()
