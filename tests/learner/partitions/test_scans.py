"""Scans on a cluster are answered where they are read."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest

import learnt
from learnt.data.files.scan import Scan
from learnt.errors import InputError


@pytest.fixture
def visits(tmp_path):
    """Four files, one of them without rows; the last column weighs."""
    rng = np.random.default_rng(0)
    for i, n in enumerate((40, 0, 25, 60)):
        town = pd.Series(rng.choice(["Basel", "Bern", "Genf"], n), dtype="str")
        frame = pd.DataFrame({"age": rng.uniform(18, 80, n), "town": town, "w": rng.integers(0, 3, n).astype(float)})
        frame["cost"] = frame["age"] * 2 + (town == "Bern") + rng.normal(size=n)
        frame["came"] = np.where(rng.random(n) < 0.3, "yes", np.where(frame["age"] > 50, "yes", "no"))
        frame.to_parquet(tmp_path / f"{i}.parquet")
    return tmp_path


def refuse(*_: object) -> None:
    raise AssertionError("rows were read outside the cluster")


@pytest.fixture
def elsewhere(small_cluster):
    """A context inside of which a cluster works on scans, and reading one here fails."""

    @contextmanager
    def inside():
        with learnt.cluster(small_cluster), pytest.MonkeyPatch.context() as patch:
            patch.setattr(Scan, "batches", refuse)
            yield

    return inside


def fitted(cls, folder, target, *others, **settings):
    table = learnt.read(folder)
    return cls(**settings).fit(table.drop(*others), target)


def test_predictions_of_a_scan_are_those_of_its_table(visits, elsewhere):
    model = fitted(learnt.LogisticRegression, visits, "came", "w", "cost")
    table = learnt.read(visits)
    with elsewhere():
        classes, shares = model.predict(learnt.scan(visits)), model.predict_proba(learnt.scan(visits))
    np.testing.assert_array_equal(classes, model.predict(table))
    np.testing.assert_allclose(shares, model.predict_proba(table), rtol=1e-14)


def test_rows_are_transformed_where_they_are_read(visits, elsewhere):
    model = fitted(learnt.OneHotEncoder, visits, None, "w", "cost", "came")
    with elsewhere():
        made = model.transform(learnt.scan(visits))
    expected = model.transform(learnt.read(visits))
    assert made.names == expected.names
    for name in expected.names:
        np.testing.assert_array_equal(made[name].values, expected[name].values)


@pytest.mark.parametrize("weights", [None, "w"])
@pytest.mark.parametrize(
    ("cls", "target", "other"),
    [(learnt.LogisticRegression, "came", "cost"), (learnt.LinearRegression, "cost", "came")],
)
def test_scores_are_put_together_from_those_of_pieces(visits, elsewhere, cls, target, other, weights):
    table, model = learnt.read(visits), fitted(cls, visits, target, "w", other)
    with elsewhere():
        found = model.score(learnt.scan(visits), target, weights)
    expected = model.score(table, target, None if weights is None else table[weights].values)
    assert found == pytest.approx(expected, rel=1e-12)


def test_a_scan_without_rows_that_count_has_no_score(visits, elsewhere):
    model = fitted(learnt.LogisticRegression, visits, "came", "w", "cost")
    with elsewhere(), pytest.raises(InputError, match="no rows that count"):
        model.score(learnt.scan(visits / "1.parquet"), "came")


def test_a_refusal_of_a_worker_comes_in_its_words(visits, elsewhere):
    model = fitted(learnt.LogisticRegression, visits, "came", "w", "cost")
    pd.DataFrame({"age": [1.0, np.inf], "town": ["Basel", "Bern"]}).to_parquet(visits / "odd.parquet")
    with elsewhere(), pytest.raises(InputError, match="'age' has 1 infinite value"):
        model.predict(learnt.scan(visits / "odd.parquet"))
