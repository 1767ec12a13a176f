"""Words of columns of text with their sums over rows: those of a loop, however the rows are cut."""

import re
from collections import defaultdict

import numpy as np
import pytest
from tests.learner.text.reviews import reviews

from learnt import Table
from learnt.data.texts import decoded_terms
from learnt.engine.passes import Batch
from learnt.learner.text.word_sums import SumWords

COLUMNS, LABELS = reviews(60, seed=3)
TABLE = Table({"review": [*COLUMNS["review"][:-1], None], "other": COLUMNS["review"][::-1]})
WEIGHTS = np.random.default_rng(0).integers(0, 4, 60) / 4
CODES = (LABELS == "kept").astype(np.int32)
NUMBERS = np.random.default_rng(1).integers(-8, 8, 60) / 2


def in_a_loop(texts, terms):
    sums = defaultdict(float)
    for text, own in zip(texts, terms, strict=True):
        for word in set(re.findall(r"\b\w\w+\b", (text or "").lower())):
            sums[word] = sums[word] + own
    return sums


def terms_of(n_classes, weights):
    if n_classes:
        return np.eye(n_classes)[CODES] * weights[:, None]
    return np.column_stack([weights, weights * NUMBERS, weights * NUMBERS**2])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_classes", [0, 2])
def test_sums_are_those_of_a_loop_over_the_rows(n_classes, weighted):
    weights = WEIGHTS if weighted else np.ones(60)
    batch = Batch(TABLE, 0, CODES if n_classes else NUMBERS, WEIGHTS if weighted else None)
    found = SumWords(["review", "other"], n_classes).summarize(batch)
    assert found.rows == 60
    for name, sums in zip(["review", "other"], found.columns, strict=True):
        expected = in_a_loop(TABLE[name].labels(), terms_of(n_classes, weights))
        words = decoded_terms(sums.text, sums.ends)
        assert words == sorted(expected)
        np.testing.assert_allclose(sums.sums, [expected[word] for word in words])
        np.testing.assert_allclose(sums.totals, terms_of(n_classes, weights).sum(axis=0))
        assert sums.least == (0.25 if weighted else 1.0)


def test_parts_add_up_to_the_whole():
    look, batch = SumWords(["review"], 2), Batch(TABLE, 0, CODES, WEIGHTS)
    (whole,) = look.summarize(batch).columns
    (parts,) = (look.summarize(batch.rows(0, 17)) + look.summarize(batch.rows(17, 60))).columns
    assert parts.rows == whole.rows
    assert parts.least == whole.least
    for one, other in ((parts.text, whole.text), (parts.ends, whole.ends), (parts.sums, whole.sums)):
        np.testing.assert_array_equal(one, other)


def test_rows_of_weight_zero_only_leave_no_least_weight():
    (found,) = SumWords(["review"], 2).summarize(Batch(TABLE, 0, CODES, np.zeros(60))).columns
    assert found.least == np.inf
