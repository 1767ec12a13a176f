"""Hiding labels, and scores when few are left."""

from collections import Counter

import numpy as np
import pytest
from sklearn.datasets import load_digits

import learnt
from learnt import LabelSpreading, LogisticRegression, hide_labels, score_with_few_labels
from learnt.errors import InputError, ParameterError


def test_shares_are_kept_and_every_class_has_one():
    y = ["a"] * 90 + ["b"] * 9 + ["c"]
    seen = hide_labels(y, 0.9, random_state=4)
    assert Counter(label for label in seen if label is not None) == {"a": 9, "b": 1, "c": 1}
    assert all(label is None or label == truth for label, truth in zip(seen, y, strict=True))
    assert hide_labels(y, 0.9, random_state=4).tolist() == seen.tolist() != hide_labels(y, 0.9).tolist()
    with pytest.raises(ParameterError, match="share"):
        hide_labels(y, 1)


def test_a_graph_beats_the_same_labels_alone_on_digits():
    X, y = load_digits(return_X_y=True)
    learners = {"graph": LabelSpreading(), "alone": learnt.KNeighborsClassifier(n_neighbors=1)}
    found = score_with_few_labels(learners, X[:600], y[:600], labels=(0.03,), repeats=4)
    assert found.n_labels == (20,) or abs(found.n_labels[0] - 15) <= 6
    graph, alone = found.accuracy[0]
    assert graph > alone + 2 * np.hypot(*found.standard_error[0])
    assert str(found).splitlines()[0].split() == ["labels", "graph", "alone"]


def test_too_few_rows_are_refused():
    with pytest.raises(InputError, match="at least 8"):
        score_with_few_labels([LabelSpreading()], {"x": [1.0, 2.0]}, ["a", "b"])


def test_rows_that_never_had_a_class_are_learnt_from_too(monkeypatch):
    seen = []
    fit = LabelSpreading.fit

    def watched(self, X, y=None, sample_weight=None):
        seen.append((X.n_rows, sum(label is None for label in y)))
        return fit(self, X, y, sample_weight)

    monkeypatch.setattr(LabelSpreading, "fit", watched)
    x = np.random.default_rng(0).normal(size=(100, 2))
    score_with_few_labels(LabelSpreading(), x, [*("ab" * 8), *[None] * 84], labels=(0.5,), repeats=1)
    assert seen == [(12 + 84, 6 + 84)]


def test_learners_of_one_kind_are_told_apart():
    x = np.random.default_rng(0).normal(size=(40, 2))
    y = np.where(x[:, 0] > 0, "a", "b")
    two = [LabelSpreading(alpha=0.1), LabelSpreading(alpha=0.9), LogisticRegression()]
    found = score_with_few_labels(two, x, y, labels=(0.5,), repeats=1)
    assert found.names == ("LabelSpreading 1", "LabelSpreading 2", "LogisticRegression")
    assert score_with_few_labels(two[0], x, y, labels=(0.5,), repeats=1).accuracy[0, 0] == found.accuracy[0, 0]
    with pytest.raises(ParameterError, match="labels holds 5"):
        score_with_few_labels(two, x, y, labels=(5,))
