"""Alternating trees as arrays: a published tree, and files that contradict themselves."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from learnt import AlternatingTreeClassifier, Table
from learnt.data.table import Column
from learnt.errors import SavedModelError
from learnt.tree.alternating.arrays import AlternatingTree


@pytest.fixture
def spam():
    """The part of a published tree for Spambase that one mail reaches; the other sides add 100."""
    tests = [  # above, column, threshold, values up to it and beyond
        (0, 0, 0.052, 100, 0.74),
        (0, 1, 0.195, 100, -1.446),
        (0, 2, 0.01, -0.38, 100),
        (5, 2, 0.005, 0.176, 100),
        (0, 3, 0.225, 100, 1.66),
    ]
    values = [-0.093] + [v for test in tests for v in test[3:]]
    return AlternatingTree(
        np.array([t[0] for t in tests], np.int32),
        np.array([t[1] for t in tests], np.int32),
        np.array([t[2] for t in tests]),
        np.full(5, -1, np.int32),
        np.ones(5),
        np.array(values),
        np.ones(11),
    )


def test_a_mail_is_scored_by_all_nodes_it_reaches(spam):
    mail = Table(
        {"char_freq_bang": [0.08], "word_freq_hp": [0.4], "char_freq_dollar": [0.0], "word_freq_remove": [0.9]}
    )
    assert spam.scores(mail)[0] == pytest.approx(0.657)
    silent = Table(
        {"char_freq_bang": [None, 0.08], "word_freq_hp": [0.4, 0.4], "char_freq_dollar": [0.0, None], "r": [0.9, 0.9]}
    )
    np.testing.assert_allclose(spam.scores(silent), [0.657 - 0.74, 0.657 + 0.38 - 0.176])


def test_contradictions_are_refused(spam):
    for name, value in (
        ("above", np.array([0, 3, 0, 5, 0], np.int32)),
        ("column", np.array([-1, 1, 2, 2, 3], np.int32)),
        ("value", np.ones(10)),
        ("threshold", np.full(5, np.nan)),
    ):
        with pytest.raises(ValueError, match="alternating tree"):
            dataclasses.replace(spam, **{name: value})


def test_tests_must_fit_their_columns(spam):
    words = Table({"a": ["x", "y"], "b": ["x", "y"], "c": ["x", "y"], "d": ["x", "y"]}).schema
    with pytest.raises(SavedModelError, match="column"):
        spam.check_columns(words)
    with pytest.raises(SavedModelError, match="column"):
        spam.check_columns(Table({"a": [1.0], "b": [2.0]}).schema)


def test_ordinal_columns_are_cut_between_labels():
    codes = np.tile(np.arange(4, dtype=np.int32), 5)
    size = Table.of_columns([Column("size", "ordinal", codes, ("s", "m", "l", "xl"))])
    model = AlternatingTreeClassifier(n_estimators=1).fit(size, np.tile([0, 0, 1, 1], 5))
    assert "size ≤ m" in str(model)
    assert model.score(size, np.tile([0, 0, 1, 1], 5)) == 1
