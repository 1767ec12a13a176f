"""Splitters: against scikit-learn's where the split is determined, and by what must hold where chance decides."""

import itertools
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.model_selection as theirs
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.naive_bayes import GaussianNB

import learnt
from learnt.errors import InputError, ParameterError
from learnt.evaluate import splits

labels = st.lists(st.sampled_from("abcd"), min_size=12, max_size=60)
group_lists = st.lists(st.integers(0, 9), min_size=12, max_size=60)


def pairs(splitter, *data, **more):
    return [(train.tolist(), test.tolist()) for train, test in splitter.split(*data, **more)]


def same_as_theirs(name, X, *data, **parameters):
    ours, others = getattr(splits, name)(**parameters), getattr(theirs, name)(**parameters)
    assert pairs(ours, X, *data) == pairs(others, X, *data)
    assert ours.get_n_splits(X, *data) == others.get_n_splits(X, *data)


@pytest.mark.parametrize(("n", "k"), [(10, 3), (7, 7), (100, 6)])
def test_k_folds_in_order_are_those_of_scikit_learn(n, k):
    same_as_theirs("KFold", np.zeros((n, 1)), n_splits=k)


@pytest.mark.parametrize("seed", range(5))
def test_stratified_folds_in_order_are_those_of_scikit_learn(seed):
    y = np.random.default_rng(seed).choice(["b", "a", "c"], 60, p=[0.5, 0.3, 0.2])
    same_as_theirs("StratifiedKFold", np.zeros((60, 1)), y, n_splits=4)


@pytest.mark.parametrize(
    "parameters", [{}, {"n_splits": 3, "gap": 2}, {"max_train_size": 5}, {"n_splits": 4, "test_size": 3}]
)
def test_time_series_splits_are_those_of_scikit_learn(parameters):
    same_as_theirs("TimeSeriesSplit", np.zeros((29, 1)), **parameters)


def test_leaving_one_out_is_that_of_scikit_learn():
    same_as_theirs("LeaveOneOut", np.zeros((6, 1)))
    same_as_theirs("LeaveOneGroupOut", np.zeros((6, 1)), None, [3, 1, 3, 2, 2, 1])


@given(labels, st.integers(2, 6), st.booleans())
@settings(max_examples=60, deadline=None)
def test_every_row_is_tested_exactly_once_and_classes_are_shared_to_one_row(y, k, shuffle):
    splitter = splits.StratifiedKFold(k, shuffle=shuffle, random_state=3 if shuffle else None)
    tests = [test for _, test in splitter.split(y, y)]
    assert sorted(itertools.chain.from_iterable(t.tolist() for t in tests)) == list(range(len(y)))
    sizes = [len(t) for t in tests]
    assert max(sizes) - min(sizes) <= 1
    for label in set(y):
        counts = [sum(y[i] == label for i in t) for t in tests]
        assert max(counts) - min(counts) <= 1


@given(group_lists, st.data())
@settings(max_examples=60, deadline=None)
def test_groups_never_leak_and_every_row_is_tested_once(groups, data):
    groups = np.array(groups)
    k = data.draw(st.integers(2, max(2, len(np.unique(groups)))))
    y = data.draw(st.lists(st.sampled_from("ab"), min_size=len(groups), max_size=len(groups)))
    if len(np.unique(groups)) < k:
        return
    for splitter in (
        splits.GroupKFold(k),
        splits.GroupKFold(k, shuffle=True, random_state=1),
        splits.StratifiedGroupKFold(k),
        splits.StratifiedGroupKFold(k, shuffle=True, random_state=1),
    ):
        seen = []
        for train, test in splitter.split(groups, y, groups):
            assert len(test) > 0
            assert len(train) > 0
            assert not set(groups[train]) & set(groups[test])
            assert sorted([*train, *test]) == list(range(len(groups)))
            seen += test.tolist()
        assert sorted(seen) == list(range(len(groups)))


def test_group_folds_are_as_even_as_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    groups = rng.choice(40, 500, p=rng.dirichlet(np.ones(40)))
    ours = sorted(len(test) for _, test in splits.GroupKFold(5).split(groups, groups=groups))
    others = sorted(len(test) for _, test in theirs.GroupKFold(5).split(groups, groups=groups))
    assert ours == others


@pytest.mark.parametrize("seed", range(4))
def test_classes_of_grouped_folds_are_about_as_even_as_with_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 60, 600)
    y = (rng.random(600) < rng.random(60)[groups] ** 3).astype(int)

    def unevenness(splitter):
        counts = np.array([np.bincount(y[t], minlength=2) for _, t in splitter.split(y, y, groups)])
        return (counts / counts.sum(axis=0)).std(axis=0).mean()

    assert unevenness(splits.StratifiedGroupKFold(5)) < max(1.5 * unevenness(theirs.StratifiedGroupKFold(5)), 0.02)


def test_numeric_targets_are_spread_over_the_folds():
    y = np.random.default_rng(0).exponential(size=1000)
    means = [y[test].mean() for _, test in splits.StratifiedKFold(10, shuffle=True, random_state=0).split(y, y)]
    plain = [y[test].mean() for _, test in splits.KFold(10, shuffle=True, random_state=0).split(y)]
    assert np.std(means) < 0.5 * np.std(plain)


@pytest.mark.parametrize(
    "make",
    [
        lambda seed: splits.KFold(3, shuffle=True, random_state=seed),
        lambda seed: splits.StratifiedKFold(3, shuffle=True, random_state=seed),
        lambda seed: splits.GroupKFold(3, shuffle=True, random_state=seed),
        lambda seed: splits.RepeatedKFold(n_splits=3, n_repeats=2, random_state=seed),
        lambda seed: splits.RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=seed),
        lambda seed: splits.ShuffleSplit(4, random_state=seed),
        lambda seed: splits.StratifiedShuffleSplit(4, random_state=seed),
        lambda seed: splits.Bootstrap632(4, random_state=seed),
    ],
)
def test_one_seed_gives_one_split_and_another_another(make):
    X, y, groups = np.zeros((40, 2)), np.arange(40) % 2, np.arange(40) // 2
    assert pairs(make(5), X, y, groups) == pairs(make(5), X, y, groups)
    assert pairs(make(5), X, y, groups) != pairs(make(6), X, y, groups)
    splitter = make(5)
    assert pairs(splitter, X, y, groups) == pairs(splitter, X, y, groups)
    assert len(pairs(splitter, X, y, groups)) == splitter.get_n_splits(X, y, groups)


def test_repeats_differ_and_each_tests_every_row():
    tests = [test for _, test in splits.RepeatedKFold(n_splits=2, n_repeats=3, random_state=0).split(range(20))]
    assert len({tuple(t.tolist()) for t in tests}) == 6
    for repeat in range(3):
        assert sorted(np.concatenate(tests[2 * repeat : 2 * repeat + 2])) == list(range(20))


def test_leaving_one_of_a_million_out_builds_nothing_large():
    tracemalloc.start()
    splitter = splits.LeaveOneOut().split(np.zeros((1_000_000, 0)))
    for _, (train, test) in zip(range(3), splitter, strict=False):
        assert len(train) == 999_999
        assert len(test) == 1
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6


@given(st.integers(2, 80), st.floats(0.05, 0.9), st.integers(0, 5))
@settings(max_examples=60, deadline=None)
def test_hold_outs_have_the_sizes_of_scikit_learn_and_share_no_row(n, share, seed):
    try:
        expected = [
            (len(a), len(b)) for a, b in theirs.ShuffleSplit(2, test_size=share, random_state=0).split(range(n))
        ]
    except ValueError:
        with pytest.raises(InputError, match="at least one each"):
            pairs(splits.ShuffleSplit(2, test_size=share), range(n))
        return
    for splitter in (splits.ShuffleSplit, splits.StratifiedShuffleSplit):
        y = np.random.default_rng(seed).integers(0, 3, n)
        found = list(splitter(2, test_size=share, random_state=seed).split(range(n), y))
        assert [(len(a), len(b)) for a, b in found] == expected
        for train, test in found:
            assert len(set(train.tolist()) | set(test.tolist())) == len(train) + len(test) == n


@given(labels, st.floats(0.1, 0.8), st.integers(0, 9))
@settings(max_examples=60, deadline=None)
def test_stratified_hold_outs_share_classes_to_one_row(y, share, seed):
    y = np.array(y)
    _, test = next(splits.StratifiedShuffleSplit(1, test_size=share, random_state=seed).split(y, y))
    for label in np.unique(y):
        assert abs((y[test] == label).sum() - len(test) * (y == label).mean()) < 1 + 1e-9


def test_a_bootstrap_leaves_a_row_out_with_probability_one_over_e():
    n = 50
    left = np.zeros(n)
    for train, test in splits.Bootstrap632(4000, random_state=0).split(range(n)):
        assert len(train) == n
        assert not set(train.tolist()) & set(test.tolist())
        left[test] += 1
    expected = (1 - 1 / n) ** n
    assert abs(left.mean() / 4000 - expected) < 0.002
    assert abs(expected - np.exp(-1)) < 0.01
    assert np.all(np.abs(left / 4000 - expected) < 5 * np.sqrt(expected * (1 - expected) / 4000))


@pytest.mark.parametrize(
    "ours",
    [
        splits.KFold(3, shuffle=True, random_state=0),
        splits.StratifiedKFold(4),
        splits.GroupKFold(3),
        splits.LeaveOneGroupOut(),
        splits.RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1),
        splits.ShuffleSplit(3, random_state=0),
        splits.TimeSeriesSplit(3),
        splits.Bootstrap632(3, random_state=0),
    ],
    ids=repr,
)
def test_scikit_learn_takes_our_splitters(ours):
    rng = np.random.default_rng(0)
    X, y, groups = rng.normal(size=(60, 2)), np.arange(60) % 2, np.arange(60) // 6
    scores = theirs.cross_val_score(GaussianNB(), X, y, groups=groups, cv=ours)
    expected = [
        GaussianNB().fit(X[train], y[train]).score(X[test], y[test]) for train, test in ours.split(X, y, groups)
    ]
    np.testing.assert_array_equal(scores, expected)


def test_targets_and_groups_may_be_named_columns():
    table = learnt.Table({"x": range(8), "who": list("aabbccdd"), "y": ["p", "q"] * 4}, target="y")
    assert pairs(splits.StratifiedKFold(2), table) == pairs(splits.StratifiedKFold(2), table, ["p", "q"] * 4)
    assert pairs(splits.GroupKFold(2), table, groups="who") == pairs(
        splits.GroupKFold(2), table, groups=list("aabbccdd")
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: splits.KFold(5).split(range(3)), "n_splits=5, but there are only 3 rows"),
        (lambda: splits.KFold(1).split(range(3)), "n_splits=1 is not allowed"),
        (lambda: splits.KFold(2.5).split(range(9)), "n_splits=2.5 is not allowed"),
        (lambda: splits.KFold(2).split([]), "no rows"),
        (lambda: splits.KFold(2).split(range(4), [1, 2]), "X has 4, y has 2"),
        (lambda: splits.StratifiedKFold(2).split(range(4)), "need y"),
        (lambda: splits.StratifiedKFold(2).split(range(4), ["a", None, "b", "a"]), "first in row 1"),
        (lambda: splits.GroupKFold(2).split(range(4)), "groups"),
        (lambda: splits.GroupKFold(3).split(range(4), groups=[1, 1, 2, 2]), "only 2 groups"),
        (lambda: splits.LeaveOneGroupOut().split(range(4), groups=[1, 1, 1, 1]), "only 1 group"),
        (lambda: splits.TimeSeriesSplit(5).split(range(4)), "too few"),
        (lambda: splits.TimeSeriesSplit(2, gap=9).split(range(9)), "too few"),
        (lambda: splits.ShuffleSplit(test_size=20).split(range(9)), "Change the sizes"),
        (lambda: splits.ShuffleSplit(test_size=1.5).split(range(9)), "test_size=1.5 is not allowed"),
        (lambda: splits.ShuffleSplit(test_size=0.6, train_size=0.6).split(range(9)), "no more than there are"),
        (lambda: splits.Bootstrap632(2).split(range(1)), "at least two rows"),
        (lambda: splits.StratifiedKFold(2).split(learnt.Table({"a": [1, 2]}), "b"), "no column 'b'"),
    ],
)
def test_what_cannot_be_split_is_said(call, message):
    with pytest.raises((InputError, ParameterError), match=message):
        list(call())


# train_test_split


def test_each_container_comes_back_as_it_went_in_with_the_same_rows():
    n = 20
    frame = pd.DataFrame({"a": range(n)}, index=range(100, 100 + n))
    data = (
        learnt.Table({"a": range(n)}),
        frame,
        pl.DataFrame({"a": range(n)}),
        pl.Series("a", range(n)),
        np.arange(n)[:, None],
        list(range(n)),
        tuple(range(n)),
        sparse.csr_array(np.arange(n)[:, None]),
        {"a": list(range(n))},
        frame["a"],
    )
    parts = splits.train_test_split(*data, test_size=0.3, random_state=0)
    assert len(parts) == 2 * len(data)

    def numbers(part):
        if isinstance(part, learnt.Table | dict):
            return [int(v) for v in (part["a"].values if isinstance(part, learnt.Table) else part["a"])]
        return np.asarray(part.todense() if sparse.issparse(part) else part).ravel().astype(int).tolist()

    for place, whole in enumerate(data):
        train, test = parts[2 * place : 2 * place + 2]
        assert type(train) is type(test) is type(whole)
        assert numbers(train) == numbers(parts[0])
        assert numbers(test) == numbers(parts[1])
    assert parts[2].index.tolist() == [100 + i for i in numbers(parts[0])]
    assert sorted(numbers(parts[0]) + numbers(parts[1])) == list(range(n))


@pytest.mark.parametrize("sizes", [{}, {"test_size": 0.3}, {"train_size": 0.5}, {"test_size": 7}, {"train_size": 3}])
def test_parts_have_the_sizes_of_scikit_learn(sizes):
    ours = splits.train_test_split(np.arange(37), random_state=0, **sizes)
    assert [len(p) for p in ours] == [len(p) for p in theirs.train_test_split(np.arange(37), **sizes)]


def test_stratified_parts_hold_the_classes_in_their_shares():
    table = learnt.datasets.load("iris")
    for stratify in (True, "class", table["class"]):
        train, test = splits.train_test_split(table, test_size=30, random_state=0, stratify=stratify)
        assert np.bincount(test["class"].values).tolist() == [10, 10, 10]
        assert train.n_rows == 120
    X, y = np.zeros((90, 2)), np.repeat([0, 1, 2], 30)
    *_, y_test = splits.train_test_split(X, y, test_size=9, random_state=0, stratify=True)
    assert np.bincount(y_test).tolist() == [3, 3, 3]


def test_three_parts_share_no_row_and_hold_the_classes_in_their_shares():
    y = np.repeat([0, 1], [80, 20])
    parts = splits.train_validation_test_split(np.arange(100), y, random_state=0, stratify=y)
    rows, classes = parts[:3], parts[3:]
    assert [len(p) for p in rows] == [60, 20, 20]
    assert sorted(np.concatenate(rows)) == list(range(100))
    assert [int(p.sum()) for p in classes] == [12, 4, 4]


def test_without_a_shuffle_the_last_rows_are_tested():
    train, test = splits.train_test_split(list(range(8)), shuffle=False)
    assert (train, test) == ([0, 1, 2, 3, 4, 5], [6, 7])
    assert splits.train_validation_test_split(list(range(5)), shuffle=False) == [[0, 1, 2], [3], [4]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: splits.train_test_split(), "nothing to split"),
        (lambda: splits.train_test_split([1, 2], [1]), "2 and 1 rows"),
        (lambda: splits.train_test_split([1]), "at least one each"),
        (lambda: splits.train_test_split([1, 2, 3], stratify=True), "needs a target"),
        (lambda: splits.train_test_split([1, 2], stratify=[0, 1], shuffle=False), "needs shuffle=True"),
        (lambda: splits.train_test_split([1, 2], random_state="x"), "random_state='x'"),
        (lambda: splits.train_validation_test_split(list(range(4)), test_size=2, validation_size=2), "leave none"),
        (lambda: splits.train_validation_test_split([1, 2, 3], test_size=None), "test_size=None"),
    ],
)
def test_parts_that_cannot_be_made_are_said(call, message):
    with pytest.raises((InputError, ParameterError), match=message):
        call()
