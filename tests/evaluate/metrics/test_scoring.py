"""Metrics by name: the numbers of the functions, over codes; NaN where rows leave them undefined."""

import pickle

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evaluate.peer import weights

from learnt.errors import ParameterError
from learnt.evaluate.metrics import DEFAULTS, METRICS, Metric, metric

PEERS = {
    "accuracy": sk.accuracy_score,
    "balanced_accuracy": sk.balanced_accuracy_score,
    "matthews": sk.matthews_corrcoef,
    "kappa": sk.cohen_kappa_score,
    "f1": sk.f1_score,
    "precision": sk.precision_score,
    "recall": sk.recall_score,
    "auc": sk.roc_auc_score,
    "average_precision": sk.average_precision_score,
    "log_loss": sk.log_loss,
    "brier": sk.brier_score_loss,
    "rmse": sk.root_mean_squared_error,
    "mse": sk.mean_squared_error,
    "mae": sk.mean_absolute_error,
    "median_absolute_error": sk.median_absolute_error,
    "mape": sk.mean_absolute_percentage_error,
    "max_error": lambda t, a, sample_weight=None: sk.max_error(t, a),
    "r2": sk.r2_score,
    "explained_variance": sk.explained_variance_score,
}


@st.composite
def folds(draw, n_classes):
    """Codes and probabilities of a fold in which every class has rows with weight."""
    n = draw(st.integers(n_classes, 15))
    code = st.integers(0, n_classes - 1)
    truth = np.array([*range(n_classes), *draw(st.lists(code, min_size=n - n_classes, max_size=n - n_classes))])
    answer = np.array(draw(st.lists(code, min_size=n, max_size=n)))
    p = np.array(
        draw(st.lists(st.lists(st.integers(1, 5), min_size=n_classes, max_size=n_classes), min_size=n, max_size=n))
    )
    weight = draw(weights(n))
    weight = None if weight is None else weight + np.where(np.arange(n) < n_classes, 1, 0)
    return truth, answer, p / p.sum(axis=1, keepdims=True), weight


@pytest.mark.costly
@pytest.mark.parametrize("n_classes", [2, 3])
@settings(max_examples=30, deadline=None)
@given(data=st.data())
@pytest.mark.filterwarnings("ignore")
def test_scores_of_classes_are_scikit_learns(n_classes, data):
    truth, answer, p, weight = data.draw(folds(n_classes))
    for name, found in METRICS.items():
        if found.tasks != {"binary", "multiclass"}:
            continue
        settings = {"sample_weight": weight}
        given = answer if found.needs == "labels" else p[:, 1] if n_classes == 2 else p
        if n_classes == 3:
            settings |= {
                "f1": {"average": "macro"},
                "precision": {"average": "macro"},
                "recall": {"average": "macro"},
            }.get(name, {"auc": {"multi_class": "ovr"}}.get(name, {}))
        expected = PEERS[name](truth, given, **settings)
        score = found.score(truth, answer, p, weight, n_classes)
        assert score == pytest.approx(expected, abs=1e-12, nan_ok=True), name
        assert found.low <= score <= found.high or np.isnan(score)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_scores_of_numbers_are_scikit_learns(data):
    n = data.draw(st.integers(2, 12))
    value = st.lists(st.integers(-9, 9), min_size=n, max_size=n)
    truth, answer = np.array(data.draw(value)) / 2, np.array(data.draw(value)) / 2
    weight = data.draw(weights(n).filter(lambda w: w is None or w.any()))
    for name, found in METRICS.items():
        if found.needs == "numbers" and name in PEERS:
            expected = PEERS[name](truth, answer, sample_weight=weight)
            assert found.score(truth, answer, None, weight) == pytest.approx(expected, rel=1e-12, abs=1e-12), name


def test_every_metric_is_compared_or_is_a_correlation():
    assert set(METRICS) - set(PEERS) == {"pearson", "spearman"}


def test_what_a_fold_leaves_undefined_is_nan():
    zeros, ones = np.zeros(3, int), np.ones(3, int)
    p = np.full((3, 2), 0.5)
    for name in ("auc", "average_precision", "recall", "f1", "precision"):
        assert np.isnan(METRICS[name].score(zeros, ones, p, n_classes=2)), name
    assert METRICS["precision"].score(ones, zeros, p, n_classes=2) == 0
    assert np.isnan(METRICS["pearson"].score(zeros * 1.0, ones * 1.0))
    assert np.isnan(METRICS["r2"].score(np.ones(1), np.ones(1)))


def test_a_fold_without_rows_scores_nan_without_a_warning():
    none, p = np.zeros(0, int), np.zeros((0, 2))
    for name, found in METRICS.items():
        score = (
            found.score(none, none, p, n_classes=2) if found.needs != "numbers" else found.score(none * 1.0, none * 1.0)
        )
        assert score == 0 if name == "matthews" else np.isnan(score), name


def test_classes_absent_from_a_fold_are_left_out_of_areas():
    truth = np.array([0, 1, 0, 1])
    p = np.array([[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.5, 0.2, 0.3], [0.6, 0.3, 0.1]])
    expected = np.mean([sk.roc_auc_score(truth == c, p[:, c]) for c in (0, 1)])
    assert METRICS["auc"].score(truth, truth, p, n_classes=3) == pytest.approx(expected)


def test_a_metric_knows_which_score_is_better():
    assert METRICS["accuracy"].better(0.9, 0.8)
    assert METRICS["rmse"].better(0.8, 0.9)
    assert METRICS["rmse"].better(0.8, float("nan"))
    assert not METRICS["rmse"].better(float("nan"), 0.8)


def test_a_metric_of_probabilities_says_when_there_are_none():
    with pytest.raises(ParameterError, match="'auc' needs probabilities"):
        METRICS["auc"].score(np.zeros(1, int), np.zeros(1, int))


def test_names_are_found_and_wrong_ones_answered_with_the_nearest():
    assert metric("f1") is METRICS["f1"]
    assert metric(METRICS["f1"]) is METRICS["f1"]
    for wrong, right in (("acuracy", "accuracy"), ("roc_auc", "auc"), ("RMSE", "rmse"), ("neg_log_loss", "log_loss")):
        with pytest.raises(ParameterError, match=f"Did you mean '{right}'"):
            metric(wrong)
    with pytest.raises(ParameterError, match="Expected one of 'accuracy'"):
        metric("zzz")
    with pytest.raises(ParameterError):
        metric(3)


def test_a_function_becomes_a_metric_of_which_more_is_better():
    def mean_truth(truth, answer):
        return truth.mean()

    made = metric(mean_truth)
    assert (made.name, made.title, made.higher_is_better) == ("mean_truth", "mean truth", True)
    assert made.score(np.array([1.0, 3.0]), np.zeros(2)) == 2
    with pytest.raises(ParameterError, match="weights"):
        made.score(np.array([1.0, 3.0]), np.zeros(2), None, np.ones(2))


def test_metrics_survive_pickling_and_defaults_exist():
    for found in METRICS.values():
        assert isinstance(pickle.loads(pickle.dumps(found)), Metric)
    assert all(METRICS[name].tasks >= {task} for task, name in DEFAULTS.items())


def test_thousands_of_classes_take_no_table_of_counts():
    rng = np.random.default_rng(0)
    truth, answer = rng.integers(0, 50_000, (2, 1000))
    assert METRICS["accuracy"].score(truth, answer, n_classes=50_000) == np.mean(truth == answer)
