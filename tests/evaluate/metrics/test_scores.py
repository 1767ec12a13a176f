"""Metrics of scores and probabilities: scikit-learn's numbers on random and degenerate rows, and what is refused."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.metrics as sk
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from tests.evaluate.peer import same_as_peer, scored, shared_out

from learnt.errors import LearntError
from learnt.evaluate import metrics as m


@pytest.mark.parametrize("name", ["roc_curve", "precision_recall_curve"])
@settings(max_examples=80, deadline=None)
@given(rows=scored(), drop=st.booleans(), last=st.booleans())
def test_curves_are_scikit_learns(name, rows, drop, last):
    truth, score, weight = rows
    settings = {"pos_label": max(truth.tolist()) if last else None, "drop_intermediate": drop}
    same_as_peer(getattr(m, name), getattr(sk, name), truth, score, sample_weight=weight, **settings)


@settings(max_examples=120, deadline=None)
@given(rows=scored(), most=st.sampled_from([None, None, 1, 0.5, 0.01, 0, 1.5]))
def test_the_area_under_the_roc_curve_of_two_classes_is_scikit_learns(rows, most):
    truth, score, weight = rows
    if weight is not None and len(np.unique(truth[weight > 0])) < 2:
        most = None  # scikit-learn stumbles over a part of a curve that is NaN
    same_as_peer(m.roc_auc_score, sk.roc_auc_score, truth, score, sample_weight=weight, max_fpr=most)


@settings(max_examples=120, deadline=None)
@given(
    rows=shared_out(),
    average=st.sampled_from([None, "micro", "macro", "weighted"]),
    how=st.sampled_from(["ovr", "ovr", "ovo", "raise"]),
    named=st.booleans(),
    weighted=st.booleans(),
)
def test_the_area_under_the_roc_curve_of_more_classes_is_scikit_learns(rows, average, how, named, weighted):
    truth, p, weight, classes = rows
    if len(np.unique(truth)) == 1 and average == "weighted":
        average = "macro"  # where scikit-learn divides by no pairs at all
    settings = {"average": average, "multi_class": how, "labels": classes if named else None}
    same_as_peer(m.roc_auc_score, sk.roc_auc_score, truth, p, sample_weight=weight if weighted else None, **settings)


@settings(max_examples=80, deadline=None)
@given(rows=scored(), last=st.booleans())
def test_average_precision_of_two_classes_is_scikit_learns(rows, last):
    truth, score, weight = rows
    pos_label = max(truth.tolist()) if last else 1
    same_as_peer(
        m.average_precision_score, sk.average_precision_score, truth, score, pos_label=pos_label, sample_weight=weight
    )


@settings(max_examples=60, deadline=None)
@given(rows=shared_out(), average=st.sampled_from([None, "micro", "macro", "weighted"]))
def test_average_precision_of_more_classes_is_scikit_learns(rows, average):
    truth, p, weight, _ = rows
    same_as_peer(m.average_precision_score, sk.average_precision_score, truth, p, average=average, sample_weight=weight)


@settings(max_examples=60, deadline=None)
@given(rows=scored(), normalize=st.booleans())
def test_log_loss_of_two_classes_is_scikit_learns(rows, normalize):
    truth, p, weight = rows
    same_as_peer(m.log_loss, sk.log_loss, truth, p, sample_weight=weight, normalize=normalize)
    both = np.column_stack([1 - p, p])
    same_as_peer(m.log_loss, sk.log_loss, truth, both, sample_weight=weight, normalize=normalize)


@settings(max_examples=60, deadline=None)
@given(rows=shared_out(), normalize=st.booleans(), named=st.booleans())
def test_log_loss_of_more_classes_is_scikit_learns(rows, normalize, named):
    truth, p, weight, classes = rows
    labels = classes if named else None
    same_as_peer(m.log_loss, sk.log_loss, truth, p, sample_weight=weight, normalize=normalize, labels=labels)


@settings(max_examples=80, deadline=None)
@given(rows=scored(), half=st.sampled_from(["auto", True, False]), last=st.booleans())
def test_brier_loss_of_two_classes_is_scikit_learns(rows, half, last):
    truth, p, weight = rows
    settings = {"sample_weight": weight, "scale_by_half": half, "pos_label": max(truth.tolist()) if last else None}
    same_as_peer(m.brier_score_loss, sk.brier_score_loss, truth, p, **settings)
    same_as_peer(m.brier_score_loss, sk.brier_score_loss, truth, np.column_stack([1 - p, p]), **settings)


@settings(max_examples=60, deadline=None)
@given(rows=shared_out(), named=st.booleans())
def test_brier_loss_and_explained_losses_of_more_classes_are_scikit_learns(rows, named):
    truth, p, weight, classes = rows
    for name in ("brier_score_loss", "d2_log_loss_score", "d2_brier_score"):
        labels = classes if named else None
        same_as_peer(getattr(m, name), getattr(sk, name), truth, p, sample_weight=weight, labels=labels)


@settings(max_examples=80, deadline=None)
@given(rows=shared_out(), k=st.integers(0, 5), normalize=st.booleans(), named=st.booleans())
def test_top_k_accuracy_is_scikit_learns(rows, k, normalize, named):
    truth, p, weight, classes = rows
    settings = {"k": k, "normalize": normalize, "labels": classes if named else None, "sample_weight": weight}
    same_as_peer(m.top_k_accuracy_score, sk.top_k_accuracy_score, truth, p, **settings)


@settings(max_examples=60, deadline=None)
@given(rows=scored(), k=st.integers(1, 3), shift=st.sampled_from([0, -0.25]))
def test_top_k_accuracy_of_two_classes_is_scikit_learns(rows, k, shift):
    truth, score, weight = rows
    same_as_peer(m.top_k_accuracy_score, sk.top_k_accuracy_score, truth, score + shift, k=k, sample_weight=weight)


@settings(max_examples=80, deadline=None)
@given(rows=scored(), n_bins=st.integers(1, 12), strategy=st.sampled_from(["uniform", "quantile"]), last=st.booleans())
def test_the_calibration_curve_is_scikit_learns(rows, n_bins, strategy, last):
    truth, p, _ = rows
    pos_label = max(truth.tolist()) if last else None
    same_as_peer(
        m.calibration_curve, calibration_curve, truth, p, pos_label=pos_label, n_bins=n_bins, strategy=strategy
    )


@settings(max_examples=40, deadline=None)
@given(rows=scored().filter(lambda r: r[2] is not None and r[2].any() and r[2].dtype.kind == "i"))
def test_a_weight_of_two_is_the_row_twice_for_calibration(rows):
    truth, p, weight = rows
    pos = max(truth.tolist())
    twice = np.repeat(truth, weight), np.repeat(p, weight)
    weighted = m.calibration_curve(truth, p, pos_label=pos, sample_weight=weight)
    np.testing.assert_allclose(weighted, m.calibration_curve(*twice, pos_label=pos))
    error = m.expected_calibration_error(truth, p, pos_label=pos, sample_weight=weight)
    assert error == pytest.approx(m.expected_calibration_error(*twice, pos_label=pos), abs=1e-12)


def test_expected_calibration_error_is_the_mean_gap_of_the_bins():
    """Bins of width 1/2: 3 rows at mean .2 with 1/3 hits, 2 rows at mean .8 with 1/2 hits."""
    truth, p = [0, 1, 0, 1, 0], [0.1, 0.2, 0.3, 0.7, 0.9]
    by_hand = 3 / 5 * abs(1 / 3 - 0.2) + 2 / 5 * abs(1 / 2 - 0.8)
    assert m.expected_calibration_error(truth, p, n_bins=2) == pytest.approx(by_hand)


def test_calibration_error_of_several_classes_looks_at_the_answer():
    """Answers a, b, a with confidence .8, .6, .6; right, right, wrong. One bin: |2/3 − 2/3| = 0."""
    p = [[0.8, 0.1, 0.1], [0.3, 0.6, 0.1], [0.6, 0.2, 0.2]]
    assert m.expected_calibration_error(list("abc"), p, n_bins=1) == pytest.approx(0, abs=1e-15)
    two = m.expected_calibration_error(list("abc"), p, n_bins=10)
    assert two == pytest.approx((abs(1 - 0.8) + abs(1 - 1.2)) / 3)


@settings(max_examples=60, deadline=None)
@given(x=st.lists(st.integers(-5, 5), min_size=1, max_size=6), falling=st.sampled_from([0, 1, 2]))
def test_the_area_under_points_is_scikit_learns(x, falling):
    x = x if falling == 2 else sorted(x, reverse=bool(falling))
    same_as_peer(m.auc, sk.auc, np.array(x, float), np.array(x, float) ** 2)


def test_large_random_scores_give_scikit_learns_areas():
    rng = np.random.default_rng(3)
    truth = rng.random(20_000) < 0.03
    score = np.round(rng.normal(truth * 0.8), 3)
    weight = rng.random(20_000)
    for kwargs in ({}, {"sample_weight": weight}):
        assert m.roc_auc_score(truth, score, **kwargs) == pytest.approx(
            sk.roc_auc_score(truth, score, **kwargs), rel=1e-12
        )
        ours, theirs = (
            m.average_precision_score(truth, score, **kwargs),
            sk.average_precision_score(truth, score, **kwargs),
        )
        assert ours == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize("container", [list, np.float32, pd.Series, pl.Series, lambda x: np.array(x)[:, None]])
def test_scores_come_in_any_container(container):
    truth, score = [0, 1, 1, 0, 1], [0.25, 0.5, 0.75, 0.5, 1.0]
    assert m.roc_auc_score(truth, container(score)) == pytest.approx(sk.roc_auc_score(truth, score))
    assert m.log_loss(truth, container(score), labels=[0, 1]) == pytest.approx(sk.log_loss(truth, score), rel=1e-6)


def test_probabilities_come_as_frames_too():
    p = np.array([[0.2, 0.3, 0.5], [0.5, 0.25, 0.25], [0, 1, 0]])
    for frame in (pd.DataFrame(p), pl.DataFrame(p), p.tolist(), p[:, ::-1][:, ::-1]):
        assert m.log_loss(list("cab"), frame) == pytest.approx(sk.log_loss(list("cab"), p))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: m.roc_auc_score([0, 1], [0.1]), "y_score 1"),
        (lambda: m.roc_auc_score([0, 1], [0.1, float("nan")]), "missing in row 1"),
        (lambda: m.roc_auc_score([0, 1], [0.1, float("inf")]), "infinite in row 1"),
        (lambda: m.roc_auc_score([0, 1], [[0.1, 0.9], [0.2, 0.8]]), "column of the positive class"),
        (lambda: m.roc_auc_score([0, 1, 2], [0.1, 0.2, 0.3], multi_class="ovr"), "rows × classes"),
        (lambda: m.roc_auc_score([0, 1, 2], np.ones((3, 3)), multi_class="ovr"), "sums to 3"),
        (lambda: m.roc_curve(["a", "b"], [0.1, 0.2]), "pos_label"),
        (lambda: m.roc_curve([1, 2], [0.1, 0.2]), "pos_label"),
        (lambda: m.roc_curve([0, 1], ["x", "y"]), "not a number"),
        (lambda: m.log_loss([0, 1], [0.5, 1.5]), "1.5"),
        (lambda: m.log_loss([0, 1], [0.5, -0.5]), "0.5"),
        (lambda: m.log_loss([0, 0], [0.5, 0.5]), "Give all classes"),
        (lambda: m.log_loss([0, 1], np.full((2, 3), 1 / 3)), "pair up"),
        (lambda: m.brier_score_loss(["a", "b"], [0.5, 0.5]), "pos_label"),
        (lambda: m.brier_score_loss([0, 1, 2], [0.5, 0.5, 0.5]), "3 classes"),
        (lambda: m.brier_score_loss([0, 1], [0.5, 0.5], scale_by_half="yes"), "scale_by_half"),
        (lambda: m.calibration_curve([0, 1], [0.5, 0.5], n_bins=0), "n_bins"),
        (lambda: m.calibration_curve([0, 1], [0.5, 0.5], strategy="equal"), "strategy"),
        (lambda: m.calibration_curve([0, 1, 2], [0.5, 0.5, 1], pos_label=2), "two classes"),
        (lambda: m.average_precision_score([0, 1], [0.5, 0.5], average="samples"), "average"),
        (lambda: m.auc([0, 1, 0.5], [0, 1, 1]), "Sort"),
    ],
)
def test_what_is_no_score_is_refused_in_words(call, words):
    with pytest.raises(LearntError, match=words):
        call()


def test_one_class_alone_has_no_area_and_that_is_said():
    with pytest.warns(m.UndefinedMetricWarning, match="one class"):
        assert np.isnan(m.roc_auc_score([1, 1], [0.2, 0.8]))
    with pytest.warns(m.UndefinedMetricWarning, match="no positive"):
        assert m.average_precision_score([0, 0], [0.2, 0.8]) == 0
