"""Weights: a row of weight 2 stands there twice, a row of weight 0 not at all."""

from __future__ import annotations

import numpy as np
import pytest
from tests.conformance.checks import check
from tests.conformance.subject import Subject, answers, assert_equal_answers, assert_same_answers, frozen, quietly
from tests.conformance.tables import as_pandas, as_table, mixed, numbers, taken_rows

from learnt import Table
from learnt.errors import InputError

COUNTS = np.random.default_rng(3).integers(0, 4, 60)
COUNTS[:4] = (2, 1, 3, 1)  # given starts are the first rows: they count


def repeated(y, counts=COUNTS):
    return None if y is None else np.repeat(y, counts)


@check("weights", "missing", "nominal")
def a_row_twice_is_a_weight_of_two(subject: Subject) -> None:
    """Integer weights, zeros among them, are that many copies of the row: the same answers to 1e-10."""
    cells, y = mixed(), subject.target(60)
    start = {"init": as_table(taken_rows(cells, range(3)))} if subject.can("random") else {}
    weighted = subject.fitted(as_table(cells), y, COUNTS, **start)
    copied = subject.fitted(as_table(taken_rows(cells, np.repeat(np.arange(60), COUNTS))), repeated(y), **start)
    assert_same_answers(answers(weighted, cells), answers(copied, cells))


@check("weights", "sparse")
def a_row_twice_is_a_weight_of_two_in_a_sparse_matrix(subject: Subject) -> None:
    """The same on CSR."""
    from scipy.sparse import csr_matrix

    x, y = csr_matrix(numbers() * (numbers(seed=9) > 0)), subject.target(60)
    start = {"init": x[:3]} if subject.can("random") else {}
    weighted = subject.fitted(x, y, COUNTS, **start)
    copied = subject.fitted(x[np.repeat(np.arange(60), COUNTS)], repeated(y), **start)
    assert_same_answers(answers(weighted, x), answers(copied, x))


@check("weights")
def a_row_twice_is_a_weight_of_two_for_few_rows(subject: Subject) -> None:
    """The same where rows are fewer than columns, or all alike."""
    y = subject.target(60)
    for x, k in ((numbers(6, 9), 6), (np.ones((5, 2)), 5), (numbers(3, 1), 3)):
        counts, start = np.arange(1, k + 1), {"init": x[:3]} if subject.can("random") else {}
        some = None if y is None else y[:k]
        with quietly():
            weighted = subject.fitted(x, some, counts, **start)
            copied = subject.fitted(np.repeat(x, counts, axis=0), repeated(some, counts), **start)
        assert_same_answers(answers(weighted, x), answers(copied, x))


@check("weights", only=("KMeans",))
def a_row_twice_is_a_weight_of_two_where_clusters_run_empty(subject: Subject) -> None:
    """The same where given centres attract no row at first and have to be moved."""
    x = numbers(40, 2)
    counts = COUNTS[:40]
    start = np.vstack([x[:2], np.full((3, 2), 100.0) + np.arange(3)[:, None]])
    for rounds in (1, 2, 100):
        settings = {"init": start, "n_clusters": 5, "max_iter": rounds}
        with quietly():
            weighted = subject.fitted(x, None, counts, **settings)
            copied = subject.fitted(np.repeat(x, counts, axis=0), None, **settings)
        assert_same_answers(answers(weighted, x), answers(copied, x))


@check("weights", only=("KMeans",))
def a_row_of_weight_zero_does_not_count_where_clusters_run_empty(subject: Subject) -> None:
    """An empty cluster moves to the farthest row that counts, not to one of weight 0."""
    x = numbers(40, 2)
    far = np.vstack([x, np.full((5, 2), 50.0)])
    settings = {"init": np.vstack([x[:2], [[-100.0, -100.0]]]), "n_clusters": 3}
    one = subject.fitted(far, None, np.append(np.ones(40), np.zeros(5)), **settings)
    assert_same_answers(answers(one, x), answers(subject.fitted(x, None, **settings), x))


@check("weights", "random", only=("KMeans",), expensive=True)
def a_row_twice_is_a_weight_of_two_in_distribution(subject: Subject) -> None:
    """Over many drawn starts the mean of the objective does not tell weights from copies (4.5 standard errors)."""
    x, seeds = numbers(60, 2), range(300)
    counts = np.where(np.arange(60) < 6, 25, 1)  # heavy enough that a start which ignores weights is found out
    copies = np.repeat(x, counts, axis=0)
    for init in ("k-means++", "random"):
        once = {"init": init, "n_init": 1, "max_iter": 1}
        with quietly():
            weighted = [subject.fitted(x, None, counts, random_state=s, **once).inertia_ for s in seeds]
            copied = [subject.fitted(copies, random_state=1000 + s, **once).inertia_ for s in seeds]
        error = np.sqrt((np.var(weighted) + np.var(copied)) / len(seeds))
        assert error > 0
        assert abs(np.mean(weighted) - np.mean(copied)) < 4.5 * error, init


@check("weights")
def a_row_of_weight_zero_does_not_count(subject: Subject) -> None:
    """Rows of weight 0, or next to it, change nothing, however far away they lie."""
    x, y = numbers(), subject.target(60)
    far = np.vstack([x, np.full((5, 4), 1e6)])
    start = {"init": x[:3]} if subject.can("random") else {}
    target = None if y is None else np.append(y, y[:5])
    expected = answers(subject.fitted(x, y, **start), x)
    for nothing in (0.0, 1e-200):
        weighted = subject.fitted(far, target, np.append(np.ones(60), np.full(5, nothing)), **start)
        assert_same_answers(answers(weighted, x), expected, rtol=1e-9)


@check("weights")
def a_row_of_weight_zero_may_hold_the_largest_numbers(subject: Subject) -> None:
    """Nothing overflows because of it, and no other row is measured by it."""
    x, y = numbers(), subject.target(60)
    start = {"init": x[:3]} if subject.can("random") else {}
    target = None if y is None else np.append(y, y[:5] * 1e300 if y.dtype.kind == "f" else y[:5])
    weights = np.append(np.ones(60), np.zeros(5))
    weighted = subject.fitted(np.vstack([x, np.full((5, 4), 1e300)]), target, weights, **start)
    assert_same_answers(answers(weighted, x), answers(subject.fitted(x, y, **start), x), rtol=1e-9)


@check("weights")
def equal_weights_count_as_none(subject: Subject) -> None:
    """Weights of 1 give the same answers as none; any other constant too."""
    x = numbers()
    plain = answers(subject.from_given_start(x), x)
    assert_same_answers(answers(subject.from_given_start(x, weights=np.ones(60)), x), plain, rtol=1e-12)
    assert_same_answers(answers(subject.from_given_start(x, weights=0.037), x), plain, rtol=1e-9)


@check("weights", "nominal", by_thirds=True)
def weights_may_come_in_many_forms(subject: Subject) -> None:
    """Weights as a list, integers, float32, a Series, or the name of a column, which is then no feature."""
    import pandas as pd

    frame, y = as_pandas(mixed()), subject.target(60)
    model = subject.fitted(frame, y, COUNTS.astype(float))
    for form in (COUNTS, COUNTS.tolist(), COUNTS.astype(np.float32), pd.Series(COUNTS)):
        assert frozen(subject.fitted(frame, y, form)) == frozen(model), type(form)
    assert frozen(subject.fitted(frame.assign(w=COUNTS), y, "w")) == frozen(model)
    assert_equal_answers(answers(model, frame.assign(w=0)), answers(model, frame))


@check("weights")
def weights_that_make_no_sense_are_errors(subject: Subject) -> None:
    """Negative, infinite, missing, textual, all-zero and mispaired weights are refused before any work."""
    x, y, ones = numbers(), subject.target(60), np.ones(60)
    at_row_5 = np.arange(60) == 5
    for bad, said in (
        (np.where(at_row_5, -1, ones), "row 5"),
        (np.where(at_row_5, np.nan, ones), "row 5"),
        (np.where(at_row_5, np.inf, ones), "row 5"),
        (0 * ones, "zero"),
        (ones[:59], "59"),
        (ones.reshape(6, 10), "1D"),
        (["heavy"] * 60, "numbers"),
        (np.array(["1"] * 60), "numbers"),
    ):
        with pytest.raises(InputError, match=said):
            subject.fitted(x, y, bad)
    table = Table(as_pandas(mixed(missing=False)))
    with pytest.raises(InputError, match=r"'town'|numbers"):
        subject.fitted(table, y, "town")
    with pytest.raises(InputError, match="'nothing'"):
        subject.fitted(table, y, "nothing")
