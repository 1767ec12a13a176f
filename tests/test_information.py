"""Information in bits, against SciPy, scikit-learn and the identities between the measures."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import mutual_info_score

import learnt.information as info
from learnt import Table
from learnt.errors import InputError, KindError, LearntError

RNG = np.random.default_rng(5)
TABLES = [RNG.integers(0, 9, shape) + np.eye(*shape) for shape in ((2, 2), (3, 5), (6, 2), (1, 4), (4, 1))]


def rows_of(table):
    """The two label arrays a contingency table counts."""
    pairs = [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(int(count))]
    x, y = zip(*pairs, strict=True)
    return np.array(x), np.array(y)


@pytest.mark.parametrize("weights", [[1], [1, 1], [0.2, 0.8], [3, 0, 1], RNG.random(50), np.arange(9, dtype=np.uint8)])
def test_entropy_is_scipys_in_bits(weights):
    assert info.entropy(weights) == pytest.approx(stats.entropy(weights, base=2), abs=1e-14)


def test_entropy_of_a_certain_symbol_is_zero_and_not_minus_zero():
    assert str(info.entropy([0, 7])) == "0.0"
    assert info.entropy([1e-320, 0]) == 0


def test_counts_and_probabilities_are_the_same_to_entropy():
    assert info.entropy([9e300, 5e300]) == info.entropy([9e-300, 5e-300]) == info.entropy([9, 5])
    assert info.gini([30, 10]) == info.gini([0.75, 0.25]) == 1 - 0.75**2 - 0.25**2


def test_cross_entropy_is_entropy_plus_divergence():
    p, q = RNG.random(20), RNG.random(20)
    assert info.cross_entropy(p, q) == pytest.approx(info.entropy(p) + info.kl_divergence(p, q), rel=1e-12)
    assert info.kl_divergence(p, q) == pytest.approx(stats.entropy(p, q, base=2), rel=1e-12)


def test_divergence_is_never_negative_and_zero_only_for_equal_distributions():
    for _ in range(50):
        p, q = RNG.random(4), RNG.random(4)
        assert info.kl_divergence(p, q) > 0
        assert info.kl_divergence(p, 3 * p) == pytest.approx(0, abs=1e-15)
        assert info.kl_divergence(p, p) >= 0


def test_a_symbol_the_code_has_no_room_for_costs_infinitely_many_bits():
    assert info.cross_entropy([1, 1], [1, 0]) == np.inf
    assert info.kl_divergence([1, 1], [1, 0]) == np.inf
    assert info.cross_entropy([1, 0], [1, 0]) == info.kl_divergence([1, 0], [1, 0]) == 0


@pytest.mark.parametrize("table", TABLES, ids=lambda t: f"{t.shape[0]}x{t.shape[1]}")
def test_the_measures_of_a_table_are_those_of_its_rows(table):
    x, y = rows_of(table)
    np.testing.assert_array_equal(info.contingency(x, y), table[table.any(axis=1)][:, table.any(axis=0)])
    for measure in (info.conditional_entropy, info.mutual_information, info.information_gain, info.gain_ratio):
        assert measure(table) == pytest.approx(measure(x, y), abs=1e-14), measure.__name__
    assert info.split_information(table) == pytest.approx(info.split_information(labels=x), abs=1e-14)
    assert info.split_information(table) == pytest.approx(info.split_information(x, y), abs=1e-14)


@pytest.mark.parametrize("table", TABLES, ids=lambda t: f"{t.shape[0]}x{t.shape[1]}")
def test_the_measures_fit_together(table):
    x, y = rows_of(table)
    given_x, shared = info.conditional_entropy(table), info.mutual_information(table)
    assert info.entropy(table) == pytest.approx(info.entropy(labels=x) + given_x, abs=1e-13)
    assert given_x == pytest.approx(
        sum(row.sum() * info.entropy(row) for row in table if row.any()) / table.sum(), abs=1e-13
    )
    assert shared == pytest.approx(info.entropy(labels=y) - given_x, abs=1e-13)
    assert shared == pytest.approx(info.mutual_information(table.T), abs=1e-13)
    assert shared == pytest.approx(mutual_info_score(x, y) / np.log(2), abs=1e-13)
    split = info.split_information(table)
    assert info.gain_ratio(table) == pytest.approx(shared / split if split else 0, abs=1e-13)


def test_a_weight_of_two_is_a_row_twice():
    x, y, counts = RNG.integers(4, size=80), RNG.integers(3, size=80), RNG.integers(0, 4, size=80)
    again = np.repeat(x, counts), np.repeat(y, counts)
    for measure in (info.conditional_entropy, info.mutual_information, info.gain_ratio, info.split_information):
        assert measure(x, y, sample_weight=counts) == pytest.approx(measure(*again), abs=1e-13)
    assert info.entropy(labels=x, sample_weight=counts) == pytest.approx(info.entropy(labels=again[0]), abs=1e-13)
    np.testing.assert_array_equal(info.contingency(x, y, sample_weight=counts), info.contingency(*again))


def test_labels_may_come_in_many_forms():
    text = ["b", "a", "b", "b"]
    expected = info.entropy([1, 3])
    column = Table({"c": text})["c"]
    for labels in (text, np.array(text), np.array(text, object), pd.Series(text), tuple(text), "babb", column):
        assert info.entropy(labels=labels) == pytest.approx(expected, abs=1e-15)
    assert info.entropy(labels=[2.5, 7.0, 2.5, 2.5]) == pytest.approx(expected, abs=1e-15)
    assert info.entropy(labels=[True, False, True, True]) == pytest.approx(expected, abs=1e-15)


def test_a_declared_label_without_rows_changes_nothing():
    few = pd.Series(pd.Categorical(["a", "c", "c"], categories=["a", "b", "c"]))
    assert info.entropy(labels=few) == pytest.approx(info.entropy([1, 2]))
    assert info.contingency(few, few).shape == (2, 2)


def test_many_labels_need_no_table():
    x = np.arange(300_000)
    assert info.mutual_information(x, x) == pytest.approx(np.log2(300_000), abs=1e-9)
    assert info.gain_ratio(x, x % 2) == pytest.approx(1 / np.log2(300_000), abs=1e-9)


def test_a_split_into_one_branch_gains_nothing():
    assert info.information_gain([[5, 9]]) == info.gain_ratio([[5, 9]]) == info.split_information([[5, 9]]) == 0


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: info.entropy([0.5, -0.1]), r"entry 1 is -0.1"),
        (lambda: info.entropy([[1, 2], [np.nan, 1]]), r"entry \(1, 0\) is nan"),
        (lambda: info.gini([1, np.inf]), "entry 1 is inf"),
        (lambda: info.entropy([0, 0]), "sum to 0"),
        (lambda: info.entropy([]), "sum to 0"),
        (lambda: info.entropy(), "either weights or labels"),
        (lambda: info.entropy([1], labels=["a"]), "either weights or labels"),
        (lambda: info.entropy([1, 2], sample_weight=[1, 2]), "labels="),
        (lambda: info.cross_entropy([1, 2], [1, 2, 3]), r"\(2,\).*\(3,\)"),
        (lambda: info.kl_divergence([1, -2], [1, 2]), "p must be"),
        (lambda: info.mutual_information([1, 2, 3]), "two dimensions"),
        (lambda: info.mutual_information([[1, 2]], sample_weight=[1]), "contingency table"),
        (lambda: info.mutual_information([1, 2, 3], [1, 2]), "3 labels.* 2"),
        (lambda: info.mutual_information(["a", None, "b"], [1, 2, 3]), r"1 missing .*row 1\b"),
        (lambda: info.entropy(labels=[1.0, np.nan]), r"row 1\b"),
        (lambda: info.entropy(labels=[]), "no labels"),
        (lambda: info.entropy(labels=["a", "b"], sample_weight=[0, 0]), "zero"),
        (lambda: info.entropy(labels=["a", "b"], sample_weight=[1, -1]), "row 1"),
    ],
)
def test_what_cannot_be_measured_is_said(call, said):
    with pytest.raises(InputError, match=said):
        call()


@pytest.mark.parametrize("labels", [["yes", "no"], [[1, 2], [3]], [1j], object()])
def test_labels_in_the_place_of_weights_are_refused_with_a_hint(labels):
    with pytest.raises(KindError, match="labels="):
        info.entropy(labels)


def test_every_error_is_one_of_learnts():
    for bad in ({}, None, {1, 2}, object()):
        with pytest.raises(LearntError):
            info.mutual_information(bad, bad)
