"""Training without a learner: the model is that of the verdict, kept or new."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import learnt
from learnt.cli.arguments.reading import AS_FOUND
from learnt.cli.commands import train_best as module
from learnt.cli.commands.train_best import train_best
from learnt.cli.writing.verdicts import keep_verdict
from learnt.errors import InputError
from learnt.saving import read_notes

pytestmark = pytest.mark.usefixtures("forked_workers")

NO_ROLES = (None, None, None, None, None)


@pytest.fixture
def table(monkeypatch, tmp_path):
    """A line on columns of very different units, and a row without an answer."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2)) * [0.001, 100]
    y = x @ [1000.0, 0.01] + 0.1 * rng.normal(size=60)
    return learnt.Table({"a": x[:, 0], "b": x[:, 1], "y": [None, *y[1:]]}, target="y")


def few_learners(monkeypatch, *names):
    def compare(*args, **settings):
        return learnt.compare(*args, learners=list(names), cv=3, **settings)

    monkeypatch.setattr(module, "compare", compare)


def test_the_model_of_a_kept_verdict_is_set_as_in_the_comparison(table):
    found = learnt.compare(table, learners=["MeanRegressor", "Ridge"], cv=3)
    keep_verdict(found)
    best = train_best(table, None, NO_ROLES, Path("m.learnt"), AS_FOUND, quiet=True)
    assert repr(best.model) == "Ridge(alpha='loo', standardize=True)"
    np.testing.assert_array_equal(best.model.coef_, found.best.fit().coef_)
    assert (best.target, best.n_rows, best.left_out) == ("y", 59, 1)
    assert best.facts["compared"] is False
    np.testing.assert_array_equal(learnt.load("m.learnt").coef_, best.model.coef_)


def test_without_a_verdict_learners_are_compared_and_the_verdict_is_kept(table, monkeypatch, capsys):
    few_learners(monkeypatch, "MeanRegressor", "LinearRegression")
    best = train_best(table, None, NO_ROLES, Path("m.learnt"), AS_FOUND, quiet=False)
    assert isinstance(best.model, learnt.LinearRegression)
    assert best.facts["compared"] is True
    assert read_notes("m.learnt")["promise"] == best.facts["promise"]
    told = capsys.readouterr()
    assert "No learner was named" in told.err
    assert "Most accurate: LinearRegression" in " ".join(told.out.split())
    again = train_best(table, None, NO_ROLES, Path("m.learnt"), AS_FOUND, quiet=False)
    assert again.facts == {"compared": False, "promise": best.facts["promise"]}
    words = " ".join(capsys.readouterr().out.split())
    score, low, high = (best.facts["promise"][name] for name in ("score", "low", "high"))
    assert "Most accurate in the last comparison of these rows: LinearRegression, with a root mean squared" in words
    assert f"of {score:.4g} (95 % interval {low:.4g} to {high:.4g})." in words


def test_roles_are_part_of_what_was_compared(table, monkeypatch):
    few_learners(monkeypatch, "MeanRegressor", "LinearRegression")
    train_best(table, None, NO_ROLES, Path("m.learnt"), AS_FOUND, quiet=True)
    other = train_best(table, None, (["a"], None, None, None, None), Path("m.learnt"), AS_FOUND, quiet=True)
    assert other.facts["compared"] is True
    assert other.model.coefficient_names_ == ("b",)


def test_a_comparison_that_did_not_finish_chooses_nobody(table, monkeypatch):
    few_learners(monkeypatch, "NaiveBayesClassifier")
    with pytest.raises(InputError, match=r"no learner was chosen\. Name one with --learner"):
        train_best(table, None, NO_ROLES, Path("m.learnt"), AS_FOUND, quiet=True)
    assert not Path("m.learnt").exists()
