"""Tables at the edge: tiny, constant, empty, huge in categories, infinite."""

from __future__ import annotations

import time

import numpy as np
import pytest
from tests.conformance.checks import check
from tests.conformance.memory import peak_of
from tests.conformance.subject import Subject, answer, answers, assert_same_answers, quietly
from tests.conformance.tables import as_table, mixed, numbers

from learnt import Table
from learnt.errors import InputError

ONE = {"n_clusters": 1, "n_components": 1}


def settings(subject: Subject, **wanted):
    return {name: value for name, value in wanted.items() if name in subject.defaults()}


def assert_sensible(subject: Subject, model, X) -> None:
    for name, values in answers(model, X).items():
        assert len(values) == (X.n_rows if isinstance(X, Table) else len(X)), name
        if values.dtype.kind == "f":
            assert np.isfinite(values).all(), name
    if subject.task == "classification":
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


@check()
def one_row_is_enough(subject: Subject) -> None:
    """A single row can be learnt from; it is predicted as it was."""
    x, y = numbers(1), subject.target(1)
    model = subject.fitted(x, y, **settings(subject, **ONE))
    assert_sensible(subject, model, x)
    if subject.supervised:
        np.testing.assert_array_equal(model.predict(x), y)


@check("nominal")
def one_mixed_row_is_enough(subject: Subject) -> None:
    """So can a single row of numbers, text and booleans."""
    table = as_table(mixed(1))
    assert_sensible(subject, subject.fitted(table, **settings(subject, **ONE)), table)


@check()
def one_column_is_enough(subject: Subject) -> None:
    """A single column can be learnt from."""
    assert_sensible(subject, subject.fitted(numbers(n_columns=1)), numbers(n_columns=1))


@check("nominal")
def one_nominal_column_is_enough(subject: Subject) -> None:
    """So can a single column of text, or of booleans."""
    for name in ("town", "size", "owned"):
        table = as_table(mixed() | {}).select([name])
        with quietly():
            assert_sensible(subject, subject.fitted(table, **settings(subject, n_clusters=2)), table)


@check()
def more_columns_than_rows_can_be_learnt_from(subject: Subject) -> None:
    """Five rows of 50 columns."""
    assert_sensible(subject, subject.fitted(numbers(5, 50)), numbers(5, 50))


@check(task="classification")
def one_class_is_always_predicted(subject: Subject) -> None:
    """With one class there is one answer, with probability 1."""
    model = subject.fitted(numbers(), np.full(60, "only"))
    assert set(model.predict(numbers(9)).tolist()) == {"only"}
    np.testing.assert_array_equal(model.predict_proba(numbers(9)), np.ones((9, 1)))


@check(task="regression")
def a_constant_target_is_always_predicted(subject: Subject) -> None:
    """With one target value there is one answer."""
    np.testing.assert_allclose(subject.fitted(numbers(), np.full(60, 7.25)).predict(numbers(9)), 7.25, rtol=1e-12)


@check("nominal", task="predicting")
def constant_columns_do_no_harm(subject: Subject) -> None:
    """Columns that never vary leave the answers as they are without them."""
    varying = {"a": numbers()[:, 0], "b": numbers()[:, 1]}
    constant = {"one": np.ones(60), "big": np.full(60, 1e9), "text": ["same"] * 60, "true": [True] * 60}
    one = subject.from_given_start(varying, **settings(subject, standardize=True))
    two = subject.from_given_start(varying | constant, **settings(subject, standardize=True))
    assert_same_answers(answers(two, varying | constant), answers(one, varying), rtol=1e-8)


@check("missing", "nominal", task="predicting")
def a_column_without_a_single_cell_does_no_harm(subject: Subject) -> None:
    """Columns with nothing in them, of any kind, leave the answers as they are without them."""
    import pandas as pd

    whole = {"a": numbers()[:, 0], "b": numbers()[:, 1]}
    gaps = {
        "nothing": np.full(60, np.nan),
        "nobody": pd.Series([None] * 60, dtype="category"),
        "nowhere": pd.Series([None] * 60, dtype="string"),
        "unknown": pd.Series([None] * 60, dtype="boolean"),
        "none": [None] * 60,
    }
    one = subject.from_given_start(whole, **settings(subject, standardize=True))
    two = subject.from_given_start(whole | gaps, **settings(subject, standardize=True))
    assert_same_answers(answers(two, whole | gaps), answers(one, whole), rtol=1e-9)


@check("missing", task="predicting")
def an_array_column_without_a_single_cell_does_no_harm(subject: Subject) -> None:
    """The same in an array, in both precisions."""
    for dtype in (np.float64, np.float32):
        x = numbers(dtype=dtype)
        x[:, 2] = np.nan
        assert_sensible(subject, subject.fitted(x), x)


@check("nominal", unless=("pairwise",), expensive=True)
def ten_thousand_categories_stay_sparse(subject: Subject) -> None:
    """10,000 categories are learnt from within 20 s of processor time and 300 MB; a dense matrix would take 1.6 GB."""
    rng = np.random.default_rng(0)
    codes = np.concatenate([np.arange(10_000), rng.integers(10_000, size=10_000)])
    table = Table({"id": [f"c{c}" for c in codes], "x": rng.exponential(size=20_000)})
    start = time.process_time()
    with quietly():
        peak, model = peak_of(lambda: subject.fitted(table, **settings(subject, max_iter=5)))
        more, values = peak_of(lambda: answer(model, table))
    assert len(values) == 20_000
    assert max(peak, more) < 300e6
    assert time.process_time() - start < 20


@check()
def infinities_are_named(subject: Subject) -> None:
    """An infinite cell is an error that names column and row, when fitting and when predicting."""
    import pandas as pd

    model = subject.fitted(numbers())
    for value in (np.inf, -np.inf):
        for dtype in (np.float64, np.float32):
            bad = numbers(dtype=dtype)
            bad[17, 2] = bad[40, 2] = value
            for use in (lambda: subject.fitted(bad), lambda: answer(model, bad)):  # noqa: B023
                with pytest.raises(InputError, match=r"'x2' has 2 infinite .*row 17\b"):
                    use()
    frame = pd.DataFrame(numbers(), columns=list("abcd"))
    frame.loc[8, "c"] = np.inf
    with pytest.raises(InputError, match=r"'c' has 1 infinite .*row 8\b"):
        subject.fitted(frame)


@check("missing", "nominal")
def infinities_among_gaps_and_text_are_named(subject: Subject) -> None:
    """The same in a mixed table, in both precisions, also where other cells are missing."""
    model = subject.fitted(as_table(mixed()))
    for name in ("area", "age"):
        bad = mixed()
        bad[name][30] = -np.inf
        uses = [lambda: subject.fitted(as_table(bad)), lambda: answer(model, bad)]  # noqa: B023
        if hasattr(model, "predict"):
            uses.append(lambda: model.explain(bad))  # noqa: B023
        for use in uses:
            with pytest.raises(InputError, match=rf"'{name}' has 1 infinite .*row 30\b"):
                use()


@check("sparse")
def infinities_in_a_sparse_matrix_are_named(subject: Subject) -> None:
    """The same in CSR."""
    from scipy.sparse import csr_matrix

    x = numbers() * (numbers(seed=9) > 0)
    model = subject.fitted(csr_matrix(x))
    x[17, 3] = np.inf
    for use in (lambda: subject.fitted(csr_matrix(x)), lambda: answer(model, csr_matrix(x))):
        with pytest.raises(InputError, match=r"'x3' has 1 infinite .*row 17\b"):
            use()


@check()
def an_empty_table_is_an_error(subject: Subject) -> None:
    """No rows, or no columns, cannot be learnt from."""
    for X in (numbers(0), numbers(60, 0), {}, {"a": []}, []):
        with pytest.raises(InputError):
            subject.new().fit(X, subject.target(0 if len(X) == 0 else 60))
    with pytest.raises(InputError, match="0"):
        answer(subject.fitted(numbers()), numbers(0))


@check("missing", "nominal")
def no_target_left_to_learn_from_is_an_error(subject: Subject) -> None:
    """A table whose only column is the target has no features."""
    with pytest.raises(InputError):
        subject.fitted({"y": subject.target(60) if subject.supervised else [1.0] * 60}, "y")
