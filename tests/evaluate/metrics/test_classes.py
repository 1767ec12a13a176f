"""Metrics of answers: scikit-learn's numbers on random and degenerate rows, and what is refused."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.metrics as sk
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evaluate.peer import labelled, same_as_peer, weights

from learnt.errors import InputError, KindError, LearntError, ParameterError
from learnt.evaluate import metrics as m

AVERAGES = [None, "binary", "micro", "macro", "weighted"]
PER_CLASS = ["precision_score", "recall_score", "f1_score", "jaccard_score", "precision_recall_fscore_support"]


@pytest.mark.parametrize(
    "name", ["accuracy_score", "zero_one_loss", "hamming_loss", "balanced_accuracy_score", "matthews_corrcoef"]
)
@settings(max_examples=50, deadline=None)
@given(rows=labelled())
def test_agreement_is_scikit_learns(name, rows):
    truth, answer, weight = rows
    same_as_peer(getattr(m, name), getattr(sk, name), truth, answer, sample_weight=weight)


@settings(max_examples=50, deadline=None)
@given(rows=labelled(), normalize=st.booleans())
def test_counts_of_right_and_wrong_rows_are_scikit_learns(rows, normalize):
    truth, answer, weight = rows
    for name in ("accuracy_score", "zero_one_loss"):
        same_as_peer(getattr(m, name), getattr(sk, name), truth, answer, sample_weight=weight, normalize=normalize)


@settings(max_examples=40, deadline=None)
@given(rows=labelled())
def test_balanced_accuracy_adjusted_for_chance_is_scikit_learns(rows):
    truth, answer, weight = rows
    ours, theirs = m.balanced_accuracy_score, sk.balanced_accuracy_score
    same_as_peer(ours, theirs, truth, answer, sample_weight=weight, adjusted=True)


@settings(max_examples=83, deadline=None)
@given(rows=labelled(), how=st.sampled_from([None, "linear", "quadratic"]), some=st.booleans())
def test_kappa_is_scikit_learns(rows, how, some):
    truth, answer, weight = rows
    labels = np.unique(answer)[:2] if some else None
    same_as_peer(
        m.cohen_kappa_score, sk.cohen_kappa_score, truth, answer, weights=how, sample_weight=weight, labels=labels
    )


@settings(max_examples=66, deadline=None)
@given(rows=labelled(), normalize=st.sampled_from([None, "true", "pred", "all"]), some=st.sampled_from([None, 1, 2, 9]))
def test_the_confusion_matrix_is_scikit_learns(rows, normalize, some):
    truth, answer, weight = rows
    labels = None if some is None else np.unique(np.concatenate([truth, answer]))[::-1][:some]
    same_as_peer(
        m.confusion_matrix, sk.confusion_matrix, truth, answer, labels=labels, sample_weight=weight, normalize=normalize
    )


def test_a_confusion_matrix_counts_in_whole_numbers_unless_weights_are_fractions():
    assert m.confusion_matrix([0, 1], [0, 0]).dtype == np.int64
    assert m.confusion_matrix([0, 1], [0, 0], sample_weight=[2, 3]).dtype == np.int64
    assert m.confusion_matrix([0, 1], [0, 0], sample_weight=[0.5, 3]).dtype == np.float64


@pytest.mark.costly
@pytest.mark.parametrize("name", PER_CLASS)
@settings(max_examples=66, deadline=None)
@given(
    rows=labelled(),
    average=st.sampled_from(AVERAGES),
    zero=st.sampled_from(["warn", 0, 1, float("nan")]),
    some=st.sampled_from([None, None, 1, 2]),
    last=st.booleans(),
)
def test_figures_of_classes_are_scikit_learns(name, rows, average, zero, some, last):
    truth, answer, weight = rows
    if name == "jaccard_score" and zero != zero:
        zero = 0  # which scikit-learn does not take there
    known = np.unique(np.concatenate([truth, answer]))
    labels = None if some is None else known[::-1][:some]
    pos_label = known[-1].item() if last else 1
    settings = {"average": average, "zero_division": zero, "labels": labels, "pos_label": pos_label}
    same_as_peer(getattr(m, name), getattr(sk, name), truth, answer, sample_weight=weight, **settings)


@settings(max_examples=50, deadline=None)
@given(rows=labelled(), beta=st.sampled_from([0, 0.5, 1, 2, float("inf")]), average=st.sampled_from(AVERAGES))
def test_f_beta_is_scikit_learns(rows, beta, average):
    truth, answer, weight = rows
    known = np.unique(np.concatenate([truth, answer]))
    same_as_peer(
        m.fbeta_score,
        sk.fbeta_score,
        truth,
        answer,
        beta=beta,
        average=average,
        pos_label=known[-1].item(),
        sample_weight=weight,
    )


def test_f_beta_multiplies_precision_and_recall():
    """The corrected form: (1+β²)·P·R/(β²·P+R). Hits 2 of 3 answers and 2 of 8 rows: P=2/3, R=1/4."""
    truth = [1] * 8 + [0]
    answer = [1, 1] + [0] * 6 + [1]
    p, r = 2 / 3, 1 / 4
    assert m.f1_score(truth, answer) == pytest.approx(2 * p * r / (p + r), abs=1e-15)
    assert m.fbeta_score(truth, answer, beta=3) == pytest.approx(10 * p * r / (9 * p + r), abs=1e-15)


def test_many_classes_give_the_same_figures_as_few():
    """Beyond 64 classes no table of counts is made."""
    rng = np.random.default_rng(0)
    truth, answer = rng.integers(0, 500, (2, 3000)) * 7 - 1000
    answer = np.where(rng.random(3000) < 0.6, truth, answer)
    weight = rng.integers(0, 9, 3000) / 8
    for name in ("matthews_corrcoef", "balanced_accuracy_score", "cohen_kappa_score", "accuracy_score"):
        same_as_peer(getattr(m, name), getattr(sk, name), truth, answer, sample_weight=weight)
    same_as_peer(m.f1_score, sk.f1_score, truth, answer, sample_weight=weight, average="macro")


def test_without_costs_rebalanced_accuracy_counts_a_positive_as_n_over_p_negatives():
    truth = np.array([1] * 3 + [0] * 12)
    answer = np.array([1, 0, 0] + [0] * 9 + [1] * 3)
    counts_as = np.where(truth == 1, 12 / 3, 1)
    by_hand = (counts_as * (truth == answer)).sum() / counts_as.sum()
    assert m.rebalanced_accuracy_score(truth, answer) == pytest.approx(by_hand, abs=1e-15)
    assert m.rebalanced_accuracy_score(truth, answer, costs={1: 4}) == pytest.approx(by_hand, abs=1e-15)
    assert m.rebalanced_accuracy_score(truth, answer, costs={1: 1}) == m.accuracy_score(truth, answer)
    for costs in ({2: 1}, {1: -1}, {1: float("nan")}):
        with pytest.raises(ParameterError):
            m.rebalanced_accuracy_score(truth, answer, costs=costs)


TEXT = ["a", "b", "c", "a", "b", "b"]
ANSWER = ["a", "b", "b", "a", "c", "b"]


@pytest.mark.parametrize(
    "container",
    [
        list,
        tuple,
        np.array,
        lambda x: np.array(x, dtype=object),
        lambda x: np.array(x, dtype=np.dtypes.StringDType()),
        lambda x: np.array(x)[:, None],
        pd.Series,
        lambda x: pd.Series(x, dtype="category"),
        lambda x: pd.Series(x, dtype=object),
        pl.Series,
        lambda x: pl.Series(x, dtype=pl.Categorical),
        lambda x: pl.Series(x).to_arrow(),
    ],
)
def test_text_labels_come_in_any_container(container):
    expected = sk.precision_recall_fscore_support(TEXT, ANSWER)
    for truth, answer in ((container(TEXT), container(ANSWER)), (container(TEXT), ANSWER), (TEXT, container(ANSWER))):
        np.testing.assert_allclose(m.precision_recall_fscore_support(truth, answer), expected)
        assert m.accuracy_score(truth, answer) == 4 / 6
        assert m.zero_one_loss(truth, answer, normalize=False) == 2
        np.testing.assert_array_equal(m.confusion_matrix(truth, answer), sk.confusion_matrix(TEXT, ANSWER))


@pytest.mark.parametrize(
    "container",
    [
        list,
        lambda x: np.array(x, dtype=np.int8),
        lambda x: np.array(x, dtype=np.uint64),
        lambda x: np.array(x, dtype=np.float32),
        lambda x: np.array(x, dtype=bool),
        lambda x: np.array(x, dtype=object),
        lambda x: np.array(x)[::-1][::-1],
        pd.Series,
        lambda x: pd.Series(x, dtype="Int64"),
        lambda x: pd.Series(np.array(x, bool), dtype="boolean"),
        lambda x: pd.Series(x, dtype="category"),
        pl.Series,
        lambda x: pl.Series(np.array(x, bool)),
    ],
)
def test_number_and_truth_labels_come_in_any_container(container):
    truth, answer = [0, 1, 1, 0, 1], [0, 1, 0, 0, 1]
    for a, b in ((container(truth), container(answer)), (container(truth), answer), (truth, container(answer))):
        assert m.f1_score(a, b) == pytest.approx(0.8)
        assert m.accuracy_score(a, b) == 0.8
        assert m.accuracy_score(a, b, sample_weight=[1, 0, 1, 1, 0]) == pytest.approx(2 / 3)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_more_than_a_few_text_labels_are_found_too(data):
    pool = [f"label {i}" for i in range(data.draw(st.sampled_from([2, 8, 9, 20])))]
    truth = np.array(pool * 2)
    answer = np.array(data.draw(st.permutations(pool * 2)))
    weight = data.draw(weights(len(truth)))
    same_as_peer(m.f1_score, sk.f1_score, truth, answer, average="macro", sample_weight=weight)
    np.testing.assert_array_equal(m.confusion_matrix(truth, answer), sk.confusion_matrix(truth, answer))


def test_labels_of_the_widest_integers_are_told_apart():
    truth = np.array([2**63 + 1, 2**63 + 2, 2**63 + 2], dtype=np.uint64)
    answer = np.array([2**63 + 1, 2**63 + 1, 2**63 + 2], dtype=np.uint64)
    np.testing.assert_array_equal(m.confusion_matrix(truth, answer), [[1, 0], [1, 1]])
    low = np.array([-(2**63), 2**63 - 1])
    np.testing.assert_array_equal(m.confusion_matrix(low, low), [[1, 0], [0, 1]])


@pytest.mark.parametrize(
    ("truth", "answer", "words"),
    [
        ([], [], "no rows"),
        ([0, 1], [0], "y_pred 1"),
        ([0, 1], ["a", "b"], "mix of text and numbers"),
        (["a", 1], ["a", "b"], "mixes text"),
        ([0.5, 1], [0, 1], "continuous"),
        ([0, 1], [0.2, 0.8], "continuous"),
        ([0, float("nan")], [0, 1], "missing in row 1"),
        ([0, float("inf")], [0, 1], "infinite in row 1"),
        (["a", None], ["a", "b"], "missing in row 1"),
        (pd.Series(["a", None], dtype="category"), ["a", "b"], "missing in row 1"),
        ([[0, 1], [1, 0]], [[0, 1], [1, 0]], "shape"),
        ([[0], [1, 2]], [0, 1], "different lengths"),
        ([b"a", b"b"], [b"a", b"b"], "bytes"),
        ([1j, 2], [1, 2], "not labels"),
        ("ab", "ab", "y_true"),
        (None, [1], "y_true"),
        (np.array(["2020-01-01"], dtype="M8[D]"), [1], "not labels"),
    ],
)
@pytest.mark.parametrize("function", [m.accuracy_score, m.matthews_corrcoef, m.confusion_matrix])
def test_labels_that_are_none_are_refused_in_words(truth, answer, words, function):
    with pytest.raises(InputError, match=words):
        function(truth, answer)


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        ([1], "sample_weight 1"),
        ([1, -1], "row 1"),
        ([0, 0], "All weights"),
        ([1, float("nan")], "missing in row 1"),
        (["a", "b"], "not a number"),
    ],
)
def test_weights_that_are_none_are_refused_in_words(weight, words):
    for function in (m.accuracy_score, m.matthews_corrcoef, m.mean_absolute_error, m.roc_auc_score):
        with pytest.raises(InputError, match=words):
            function([0, 1], [0, 1], sample_weight=weight)


@pytest.mark.parametrize(
    "call",
    [
        lambda: m.f1_score([0, 1], [0, 1], average="samples"),
        lambda: m.f1_score([0, 1], [0, 1], zero_division=0.5),
        lambda: m.fbeta_score([0, 1], [0, 1], beta=-1),
        lambda: m.f1_score([0, 1, 2], [0, 1, 2]),
        lambda: m.f1_score(["a", "b"], ["a", "b"]),
        lambda: m.confusion_matrix([0, 1], [0, 1], labels=[]),
        lambda: m.confusion_matrix([0, 1], [0, 1], labels=[5]),
        lambda: m.confusion_matrix([0, 1], [0, 1], labels=[0, 0]),
        lambda: m.confusion_matrix([0, 1], [0, 1], labels=["a"]),
        lambda: m.confusion_matrix([0, 1], [0, 1], normalize="rows"),
        lambda: m.cohen_kappa_score([0, 1], [0, 1], weights="cubic"),
    ],
)
def test_wrong_settings_are_refused(call):
    with pytest.raises(LearntError):
        call()


def test_bytes_are_no_labels_in_an_array_either():
    with pytest.raises(KindError):
        m.accuracy_score(np.array([b"a"]), np.array([b"a"]))


def test_what_is_undefined_is_said_aloud_unless_a_value_is_chosen():
    with pytest.warns(m.UndefinedMetricWarning, match="Precision"):
        assert m.precision_score([0, 1], [0, 0]) == 0
    with pytest.warns(m.UndefinedMetricWarning, match="kappa"):
        assert np.isnan(m.cohen_kappa_score([1, 1], [1, 1]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert m.precision_score([0, 1], [0, 0], zero_division=1) == 1


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.uint64, np.int8, bool])
def test_whole_weights_of_any_type_give_whole_counts(dtype):
    counts = m.confusion_matrix(["a", "b", "b"], ["a", "a", "b"], sample_weight=np.ones(3, dtype))
    assert counts.dtype == np.int64
    assert counts.tolist() == [[1, 0], [1, 1]]


def test_weights_beyond_the_largest_signed_number_are_no_negative_ones():
    counts = m.confusion_matrix(["a", "b"], ["a", "a"], sample_weight=np.array([1, 2**63 + 2**12], dtype=np.uint64))
    assert counts.tolist() == [[1.0, 0.0], [2.0**63 + 2**12, 0.0]]
