"""Any table in: kinds, containers, and what may change between fitting and predicting."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests.conformance.checks import check
from tests.conformance.subject import Subject, answer, answers, assert_equal_answers, assert_same_answers, frozen
from tests.conformance.tables import CONTAINERS, SIZES, as_pandas, as_table, mixed, numbers, taken_rows

from learnt import Table
from learnt.errors import InputError, KindError


@check("nominal", "missing", by_thirds=True)
def every_container_gives_the_same_model(subject: Subject) -> None:
    """pandas, polars, Arrow, dicts and Table give bit-identical models and predictions."""
    cells, other = mixed(), mixed(20, seed=5)
    expected = subject.fitted(as_table(cells), subject.target(60))
    for name, build in CONTAINERS.items():
        model = subject.fitted(Table(build(cells), ordinal={"size": SIZES}), subject.target(60))
        assert frozen(model) == frozen(expected), name
        assert_equal_answers(answers(model, build(other)), answers(expected, as_table(other)))


@check("nominal", "missing", by_thirds=True)
def frames_that_declare_an_order_need_no_help(subject: Subject) -> None:
    """An ordered category of pandas or Arrow is ordinal without being told."""
    cells = mixed()
    expected = frozen(subject.fitted(as_table(cells), subject.target(60)))
    for name in ("pandas", "Arrow"):
        assert frozen(subject.fitted(CONTAINERS[name](cells), subject.target(60))) == expected, name


@check("nominal")
def reordered_columns_change_nothing(subject: Subject) -> None:
    """Columns are found by name: another order at prediction gives the same answers."""
    model, other = subject.fitted(as_pandas(mixed())), as_pandas(mixed(20, seed=5))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_equal_answers(answers(model, other[other.columns[::-1]]), answers(model, other))


@check()
def reordered_numeric_columns_change_nothing(subject: Subject) -> None:
    """Columns of an all-numeric frame are found by name too."""
    import pandas as pd

    frame = pd.DataFrame(numbers(), columns=list("abcd"))
    model = subject.fitted(frame)
    assert_equal_answers(answers(model, frame[list("dbca")]), answers(model, frame))


@check("nominal")
def extra_columns_are_ignored(subject: Subject) -> None:
    """A column that was not there when fitting, such as the target, does not matter."""
    model, other = subject.fitted(as_table(mixed())), mixed(20, seed=5)
    extra = {"before": ["?"] * 20} | other | {"after": np.arange(20)}
    assert_equal_answers(answers(model, extra), answers(model, other))


@check("nominal")
def an_absent_column_is_named(subject: Subject) -> None:
    """A column missing at prediction is an error that names it."""
    model, other = subject.fitted(as_table(mixed())), mixed(20, seed=5)
    for name in other:
        with pytest.raises(InputError, match=f"'{name}'"):
            answer(model, {k: v for k, v in other.items() if k != name})


@check("nominal")
def a_column_of_another_kind_is_named(subject: Subject) -> None:
    """Numbers where there was text, or text where there were numbers, are an error that names the column."""
    model, other = subject.fitted(as_table(mixed())), mixed(20, seed=5)
    for name, cells in {"town": np.arange(20.0), "area": ["big"] * 20, "age": [True] * 20, "size": np.ones(20)}.items():
        with pytest.raises(KindError, match=f"'{name}'"):
            answer(model, other | {name: cells})


@check("nominal")
def a_column_of_gaps_is_of_any_kind(subject: Subject) -> None:
    """A column with nothing but missing cells at prediction is taken as missing, whatever its type."""
    model, other = subject.fitted(as_table(mixed())), mixed(20, seed=5)
    for name, cells in other.items():
        gaps = np.full(20, np.nan, np.float32) if isinstance(cells, np.ndarray) else [None] * 20
        assert_equal_answers(answers(model, other | {name: [None] * 20}), answers(model, other | {name: gaps}))


@check("nominal", "missing")
def an_unseen_category_counts_as_missing(subject: Subject) -> None:
    """A label that fitting never saw is treated as a missing cell."""
    model, other = subject.fitted(as_table(mixed())), mixed(20, seed=5)
    for name in ("town", "size"):
        unseen = other | {name: ["Zürich"] * 20}
        assert_equal_answers(answers(model, unseen), answers(model, other | {name: [None] * 20}))


@check("nominal", task="predicting")
def the_order_of_columns_when_fitting_does_not_matter(subject: Subject) -> None:
    """A learner fitted on permuted columns gives the same answers."""
    cells, other = mixed(), mixed(20, seed=5)
    one = subject.from_given_start(as_table(cells))
    two = subject.from_given_start(as_table(dict(reversed(cells.items()))))
    assert_same_answers(answers(one, other), answers(two, other), rtol=1e-9)


@check(unless=("order-dependent",))
def the_order_of_rows_does_not_matter(subject: Subject) -> None:
    """A learner fitted on permuted rows gives the same answers."""
    cells, y, order = mixed(), subject.target(60), np.random.default_rng(2).permutation(60)
    one = subject.fitted(as_table(cells), y)
    two = subject.fitted(as_table(taken_rows(cells, order)), None if y is None else y[order])
    assert_same_answers(answers(one, cells), answers(two, cells))


@check("random")
def the_order_of_rows_does_not_matter_from_a_given_start(subject: Subject) -> None:
    """A learner that draws its start gives the same answers on permuted rows if the start is given."""
    cells, order = mixed(), np.random.default_rng(2).permutation(60)
    one = subject.from_given_start(as_table(cells))
    two = subject.fitted(as_table(taken_rows(cells, order)), init=as_table(taken_rows(cells, range(3))))
    assert_same_answers(answers(one, cells), answers(two, cells))


@check("nominal")
def names_may_be_long_and_in_any_script(subject: Subject) -> None:
    """Column names and labels in any script, with line ends, and 10,000 characters long, are just names."""
    cells = mixed()
    renamed = {
        "площадь": cells["area"],
        "n" * 10_000: cells["age"],
        "🏠\n=": ["é" if t == "Bern" else t for t in cells["town"]],
    }
    plain = dict(zip("abc", renamed.values(), strict=True))
    model = subject.fitted(renamed)
    assert list(model.feature_names_in_) == list(renamed)
    one, two = answers(model, renamed), answers(subject.fitted(plain), plain)
    assert_equal_answers(dict(enumerate(one.values())), dict(enumerate(two.values())))


@check("sparse", by_thirds=True)
def a_sparse_matrix_is_the_table_it_stands_for(subject: Subject) -> None:
    """A SciPy sparse matrix, of any format, gives the answers of its dense twin."""
    from scipy import sparse

    dense = numbers(60, 5) * (np.random.default_rng(4).random((60, 5)) < 0.4)
    expected = answers(subject.from_given_start(dense), dense)
    for build in (sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix):
        model = subject.from_given_start(sparse.csr_matrix(dense))
        assert_same_answers(answers(model, build(dense)), expected, rtol=1e-8)
        assert_same_answers(answers(model, dense), expected, rtol=1e-8)


@check(only=("LinearRegression", "MeanRegressor", "MajorityClassifier"))
def the_unit_of_a_number_does_not_matter(subject: Subject) -> None:
    """Columns measured in other units, or from another zero, give the same answers."""
    cells, other = mixed(), mixed(20, seed=5)

    def converted(rows):
        return rows | {"area": rows["area"] * 1e-7, "age": rows["age"].astype(np.float64) * 1000 + 1e5}

    one, two = subject.fitted(as_table(cells)), subject.fitted(as_table(converted(cells)))
    assert_same_answers(answers(two, converted(other)), answers(one, other), rtol=1e-8)
