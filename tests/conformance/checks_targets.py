"""Targets: where they come from and what labels look like."""

from __future__ import annotations

import numpy as np
import pytest
from tests.conformance.checks import check
from tests.conformance.subject import Subject, answers, assert_equal_answers, frozen
from tests.conformance.tables import as_pandas, as_table, mixed, numbers

from learnt import Table
from learnt.errors import InputError, KindError, LearntError


@check(task="supervised", by_thirds=True)
def the_target_may_come_in_many_forms(subject: Subject) -> None:
    """y as an array, a list, a Series, a column's name, or the table's own target: the same model."""
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    frame, y = as_pandas(mixed()), subject.target(60)
    expected = frozen(subject.fitted(frame, y))
    for form in (y.tolist(), pd.Series(y), pl.Series(y.tolist()), pa.array(y.tolist()), y.astype(object)):
        assert frozen(subject.fitted(frame, form)) == expected, type(form)
    whole = frame.assign(goal=y)
    assert frozen(subject.fitted(whole, "goal")) == expected
    assert frozen(subject.fitted(Table(whole, target="goal"), None)) == expected


@check("nominal", task="clustering")
def the_target_is_not_a_feature(subject: Subject) -> None:
    """A learner that needs no target leaves the named one, or the table's own, out of the features."""
    frame = as_pandas(mixed())
    expected = frozen(subject.fitted(frame, None))
    whole = frame.assign(goal=np.arange(60.0))
    assert frozen(subject.fitted(whole, "goal")) == expected
    assert frozen(subject.fitted(Table(whole, target="goal"), None)) == expected


@check(task="supervised", by_thirds=True)
def a_model_predicts_the_table_it_was_fitted_on(subject: Subject) -> None:
    """The target column may stay in the table at prediction; `score` finds it by name."""
    frame = as_pandas(mixed())
    whole = frame.assign(goal=subject.target(60))
    model = subject.fitted(whole, "goal")
    assert "goal" not in list(model.feature_names_in_)
    assert_equal_answers(answers(model, whole), answers(model, frame))
    assert model.score(whole, "goal") == model.score(frame, subject.target(60))


@check(task="classification")
def labels_of_any_type_come_back(subject: Subject) -> None:
    """Text, booleans, integers of any sign and categories are predicted as they were given, sorted in `classes_`."""
    import pandas as pd

    x, codes = numbers(30, 2), np.arange(30) % 3
    for labels in (["b", "a", "ü" * 300], [3, -7, 2**40], [2.0, -1.0, 0.0], [True, False, True]):
        y = np.array(labels)[codes]
        model = subject.fitted(x, y)
        np.testing.assert_array_equal(model.classes_, np.unique(y))
        assert model.classes_.dtype == y.dtype
        assert set(model.predict(x).tolist()) <= set(labels)
        assert type(model.predict(x).tolist()[0]) is type(labels[0])
    declared = pd.Series(pd.Categorical.from_codes(codes, ["low", "mid", "high"], ordered=True))
    assert subject.fitted(x, declared).classes_.tolist() == ["low", "mid", "high"]
    loose = pd.Series(pd.Categorical.from_codes(codes % 2, ["zebra", "ant", "never"]))
    assert subject.fitted(x, loose).classes_.tolist() == ["ant", "zebra"]


@check(task="classification")
def integer_labels_keep_all_their_digits(subject: Subject) -> None:
    """Large integers that no float64 can tell apart stay different classes, or are refused: they never merge."""
    import pandas as pd

    y = np.array([2**53, 2**53 + 1] * 15)
    assert subject.fitted(numbers(30, 2), y).classes_.tolist() == [2**53, 2**53 + 1]
    for form in (pd.Series(y), y.tolist(), y.astype(object)):
        with pytest.raises(InputError, match=r"2\*\*53"):
            subject.fitted(numbers(30, 2), form)


@check(task="supervised")
def a_missing_target_is_an_error_with_its_row(subject: Subject) -> None:
    """Rows without a target cannot be learnt from; the first is named, counted from 0."""
    gap = subject.target(60).astype(object)
    gap[17] = None
    frame = as_pandas(mixed())
    for X, y in ((frame, gap), (frame, gap.tolist()), (frame.assign(goal=gap), "goal")):
        with pytest.raises(InputError, match="row 17"):
            subject.fitted(X, y)


@check(task="supervised")
def an_unknown_target_name_is_an_error_with_a_hint(subject: Subject) -> None:
    """A name that is not a column says so and offers the nearest one."""
    with pytest.raises(InputError, match=r"'twon'.*'town'"):
        subject.fitted(as_table(mixed()), "twon")


@check(task="supervised")
def a_target_of_another_length_is_an_error(subject: Subject) -> None:
    """Rows and targets must pair up."""
    with pytest.raises(InputError, match=r"60.*59"):
        subject.fitted(as_table(mixed()), subject.target(60)[:59])


@check(task="regression")
def text_is_not_a_number_to_predict(subject: Subject) -> None:
    """A regressor refuses labels, and infinite targets with their row."""
    with pytest.raises(KindError):
        subject.fitted(as_table(mixed()), "town")
    with pytest.raises(KindError):
        subject.fitted(numbers(), ["yes"] * 60)
    with pytest.raises(InputError, match="row 3"):
        subject.fitted(numbers(), np.where(np.arange(60) == 3, np.inf, 1.0))


@check(task="classification")
def measurements_are_not_labels(subject: Subject) -> None:
    """A classifier refuses a target of fractions and points to regression."""
    with pytest.raises(LearntError, match=r"row 1\b"):
        subject.fitted(numbers(3), np.array([1.0, 0.25, 2.0]))
    with pytest.raises(LearntError):
        subject.fitted(as_table(mixed(missing=False)), "area")
