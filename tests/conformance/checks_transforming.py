"""Transformers: a table in, a table of the same rows out."""

from __future__ import annotations

import numpy as np
from tests.conformance.checks import check
from tests.conformance.subject import Subject
from tests.conformance.tables import as_pandas, as_table, mixed, numbers

from learnt import Table


@check("nominal", "missing", task="transformation")
def a_table_in_gives_a_table_out(subject: Subject) -> None:
    """Named columns give a `Table` of as many rows, in the columns `get_feature_names_out` lists."""
    model, other = subject.fitted(as_table(mixed())), as_table(mixed(20, seed=5))
    out = model.transform(other)
    assert isinstance(out, Table)
    assert out.n_rows == 20
    assert list(out.names) == list(model.get_feature_names_out())


@check(task="transformation")
def an_array_in_gives_an_array_out(subject: Subject) -> None:
    """Numbers without names give a float64 array in as many columns as there are names."""
    model = subject.fitted(numbers())
    out = model.transform(numbers(20, seed=5))
    assert isinstance(out, np.ndarray)
    assert out.dtype == np.float64
    assert out.shape == (20, len(model.get_feature_names_out()))


@check("nominal", "missing", task="transformation")
def fitting_and_transforming_at_once_is_one_after_the_other(subject: Subject) -> None:
    """`fit_transform` gives what `fit` and then `transform` give."""
    table, y = as_table(mixed()), subject.target(60)
    at_once = subject.new().fit_transform(table, y)
    assert at_once.to_dict() == subject.fitted(table, y).transform(table).to_dict()


@check("nominal", "missing", task="transformation")
def frames_come_out_where_frames_are_asked_for(subject: Subject) -> None:
    """`set_output` gives pandas or polars frames of the same cells; pandas keeps its index, fitting the choice."""
    frame = as_pandas(mixed())
    frame.index = np.arange(100, 160)
    expected = Table(subject.fitted(frame).transform(frame)).to_dict()
    for package in ("pandas", "polars"):
        model = subject.new().set_output(transform=package).fit(frame, subject.target(60))
        out = model.transform(frame)
        assert type(out).__module__.split(".")[0] == package
        assert Table(out).to_dict() == expected
        assert package == "polars" or out.index.equals(frame.index)


@check("missing", "nominal", task="transformation")
def a_transformed_table_can_be_transformed_again(subject: Subject) -> None:
    """What comes out goes in: transforming the result by a learner fitted on it works."""
    table = as_table(mixed())
    once = subject.fitted(table).transform(table)
    again = subject.fitted(once).transform(once)
    assert again.n_rows == once.n_rows
    assert list(again.names) == list(subject.fitted(once).get_feature_names_out())
