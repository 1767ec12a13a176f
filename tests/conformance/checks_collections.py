"""Dask collections instead of tables: the same answers, when Dask comes to them."""

from __future__ import annotations

import numpy as np
from tests.conformance.checks import check
from tests.conformance.subject import Subject, frozen, quietly
from tests.conformance.tables import as_pandas, mixed, numbers

ASKED = ("predict", "predict_proba", "predict_log_proba", "decision_function", "transform", "score_samples")


def cells(answer):
    """An answer as an array, dense."""
    answer = answer.toarray() if hasattr(answer, "toarray") else answer
    return np.asarray(answer)


def rows_of(subject: Subject, n_rows: int):
    """A frame of whatever cells the learner takes."""
    import pandas as pd

    able = subject.can("nominal", "missing")
    return as_pandas(mixed(n_rows)) if able else pd.DataFrame(numbers(n_rows), columns=[*"abcd"])


def assert_same_cells(one, other) -> None:
    if hasattr(other, "index"):
        import pandas as pd

        pd.testing.assert_frame_equal(one, other, rtol=1e-12, atol=1e-12)
        return
    one, other = cells(one), cells(other)
    if one.dtype.kind == "f":
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
    else:
        np.testing.assert_array_equal(one, other)


def assert_promised(lazy, made) -> None:
    """What a lazy frame or series said of its columns before it was computed."""
    if made.ndim == 1:
        assert lazy.dtype == made.dtype
    else:
        assert list(lazy.columns) == list(made.columns)
        assert list(lazy.dtypes) == list(made.dtypes)


@check(by_thirds=True)
def partitions_of_a_frame_are_answered_lazily(subject: Subject) -> None:
    """A frame of dask.dataframe gives the answers of the frame, its index and partitions, when it is computed."""
    import dask.dataframe as dd

    rows = rows_of(subject, 90)
    rows.index = np.arange(90) * 2 + 7
    model = subject.fitted(rows)
    looked = []

    def look(part):
        looked.append(len(part))
        return part

    spread = dd.from_pandas(rows, npartitions=4)
    spread = spread.map_partitions(look, meta=spread._meta)
    here = spread.compute(scheduler="synchronous")  # with Dask's own type of texts
    looked.clear()
    with quietly():
        for name in filter(lambda name: hasattr(model, name), ASKED):
            lazy = getattr(model, name)(spread)
            assert not looked
            assert lazy.divisions == spread.divisions
            made = lazy.compute(scheduler="synchronous")
            looked.clear()
            assert made.index.equals(rows.index)
            assert_promised(lazy, made)
            assert_same_cells(made, getattr(model, name)(here))


@check(by_thirds=True)
def blocks_of_an_array_are_answered_lazily(subject: Subject) -> None:
    """A dask.array gives the answers of the array, in blocks of the same rows, of the type that was promised."""
    import dask.array as da

    rows = numbers(90)
    model = subject.fitted(rows)
    spread = da.from_array(rows, chunks=(40, 2))
    with quietly():
        for name in filter(lambda name: hasattr(model, name), ASKED):
            expected, lazy = getattr(model, name)(rows), getattr(model, name)(spread)
            assert lazy.shape == expected.shape
            assert lazy.chunks[0] == (40, 40, 10)
            made = lazy.compute(scheduler="synchronous")
            assert lazy.dtype == made.dtype
            assert_same_cells(made, expected)


@check(task="predicting", by_thirds=True)
def partitions_are_explained_lazily(subject: Subject) -> None:
    """Explaining a frame of dask.dataframe gives a frame with a line for each row and column, as of the rows here."""
    import dask.dataframe as dd

    rows = rows_of(subject, 30)
    model = subject.fitted(rows)
    lazy = model.explain(dd.from_pandas(rows, npartitions=2))
    with quietly():
        made, expected = lazy.compute(scheduler="synchronous"), model.explain(rows).to_frame(long=True)
    assert list(made.index) == list(expected["row"])
    assert list(made["column"]) == list(expected["column"])
    np.testing.assert_allclose(made["contribution"], expected["contribution"], rtol=1e-10, atol=1e-12)


@check(task="supervised", by_thirds=True)
def the_score_of_partitions_is_that_of_all_rows(subject: Subject) -> None:
    """The score of a frame of dask.dataframe, by weight, is the number that all its rows together give."""
    import dask
    import dask.dataframe as dd

    rows = rows_of(subject, 90)
    model = subject.fitted(rows)
    rows["goal"], rows["w"] = subject.target(90), np.repeat([0.0, 1.0, 3.0], 30)
    with dask.config.set(scheduler="synchronous"), quietly():
        found = model.score(dd.from_pandas(rows, npartitions=4), "goal", sample_weight="w")
    expected = model.score(rows, "goal", sample_weight="w")
    assert isinstance(found, float)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


@check(by_thirds=True)
def asking_about_partitions_changes_no_model(subject: Subject) -> None:
    """Asking about a collection leaves a model as it was, to the bit."""
    import dask.array as da

    model = subject.fitted(numbers(60))
    before = frozen(model)
    with quietly():
        for name in filter(lambda name: hasattr(model, name), ASKED):
            getattr(model, name)(da.from_array(numbers(60), chunks=20))
    assert frozen(model) == before
