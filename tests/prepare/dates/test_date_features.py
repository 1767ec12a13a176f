"""Dates taken apart, against pandas' own accessors."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import pytest

import learnt
from learnt import DateFeatures, Table
from learnt.errors import ParameterError
from learnt.prepare.dates.date_parts import PARTS

STAMPS = pd.Series(pd.to_datetime(np.random.default_rng(3).integers(-(10**9), 2 * 10**9, 400), unit="s"))


@pytest.mark.parametrize("part", PARTS)
def test_parts_are_those_of_pandas(part):
    table = Table({"t": STAMPS})
    column = DateFeatures(parts=[part]).fit_transform(table)[f"t {part}"]
    expected = {
        "day of year": STAMPS.dt.day_of_year,
        "month": STAMPS.dt.month_name(),
        "weekday": STAMPS.dt.day_name(),
    }.get(part)
    assert column.labels() == list(getattr(STAMPS.dt, part) if expected is None else expected)


def test_usual_parts_follow_from_the_form():
    days = {"d": [dt.date(2024, 5, 1)], "t": [dt.time(9, 30)], "s": [dt.timedelta(hours=3)], "x": [1.0]}
    step = DateFeatures().fit(days)
    assert step.parts_ == {"d": ["year", "month", "day", "day of year", "weekday"], "t": ["hour", "minute"]}
    out = step.transform(days)
    assert out.names == (*(f"d {p}" for p in step.parts_["d"]), "t hour", "t minute", "s", "x")
    assert list(step.get_feature_names_out()) == list(out.names)
    assert out["t minute"].labels() == [30]
    assert (out["d month"].kind, out["d weekday"].kind) == ("ordinal", "ordinal")


def test_missing_dates_have_missing_parts_and_dates_may_stay():
    table = Table({"d": [dt.date(2024, 5, 1), None]})
    out = DateFeatures(parts=["year", "month"], keep=True).fit_transform(table)
    assert out.to_dict() == {
        "d": [dt.date(2024, 5, 1), None],
        "d year": [2024, None],
        "d month": ["May", None],
    }


def test_new_rows_need_not_say_that_they_are_dates():
    step = DateFeatures(parts=["year"]).fit({"d": [dt.date(2024, 5, 1)]})
    assert step.transform({"d": [0.0]})["d year"].labels() == [1970]


def test_a_name_that_is_taken_is_refused():
    with pytest.raises(ParameterError, match="has a column 'd year' already"):
        DateFeatures().fit({"d": [dt.date(2024, 5, 1)], "d year": [1.0]})
    with pytest.raises(ParameterError, match="parts"):
        DateFeatures(parts=["century"]).fit({"d": [dt.date(2024, 5, 1)]})


def test_a_saved_one_gives_the_same(tmp_path):
    table = Table({"t": STAMPS})
    step = DateFeatures().fit(table)
    learnt.save(step, tmp_path / "step.learnt")
    assert learnt.load(tmp_path / "step.learnt").transform(table).to_dict() == step.transform(table).to_dict()
