"""Imitating trees against the models they imitate, and the rows they are drawn from."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor as PeerForest
from sklearn.svm import SVC as PeerMachine

import learnt
from learnt.data.table import Table
from learnt.errors import InputError, ParameterError
from learnt.evaluate.distillation.artificial import artificial_rows, nearest_rows
from learnt.evaluate.metrics import proportion_interval


def mixed_rows(n: int = 120, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "rooms": rng.integers(1, 9, n).astype(float),
            "area": np.where(rng.random(n) < 0.2, np.nan, rng.lognormal(4, 0.4, n)),
            "town": rng.choice(["Bern", "Basel", "Chur"], n),
            "lift": np.where(rng.random(n) < 0.2, None, rng.choice(["yes", "no"], n)),
        }
    )


class Rule:
    """A model of another make that is a tree of three leaves."""

    _estimator_type = "classifier"
    classes_ = np.array(["a", "b", "c"])

    def fit(self, x, y):
        return self

    def predict(self, x):
        return np.where(x["town"] == "Bern", "a", np.where(x["rooms"] > 4, "b", "c"))


def test_a_model_that_is_a_tree_is_imitated_exactly() -> None:
    found = learnt.distill(Rule(), mixed_rows(), max_leaf_nodes=8)
    assert found.student.get_n_leaves() == 3
    assert found.fidelity.estimate == 1
    assert tuple(found.fidelity) == tuple(proportion_interval(40, 40))
    assert (found.n_real, found.n_artificial, found.n_held_out) == (80, 10_000, 40)


def test_fidelity_is_the_share_of_equal_answers_on_rows_held_out() -> None:
    """On fresh rows of the same kind the tree agrees as often as the interval says."""
    frame = mixed_rows(300, seed=1)
    y = np.where(frame["rooms"] * np.nan_to_num(frame["area"], nan=50) > 250, "large", "small")
    model = learnt.RandomForestClassifier().fit(frame, y)
    found = learnt.distill(model, frame, max_leaf_nodes=6)
    fresh = mixed_rows(2000, seed=2)
    agree = float((model.predict(fresh) == found.student.predict(fresh)).mean())
    assert found.fidelity.low - 0.02 <= agree <= found.fidelity.high + 0.02


def test_artificial_rows_make_the_imitation_better_where_rows_are_few() -> None:
    frame = mixed_rows(60, seed=3)
    frame["area"] = frame["area"].fillna(50)
    y = np.where(frame["rooms"] * frame["area"] > 250, "large", "small")
    model = learnt.LogisticRegression(standardize=True).fit(frame, y)
    fresh = mixed_rows(3000, seed=4)
    fresh["area"] = fresh["area"].fillna(50)
    truth = model.predict(fresh)
    with_them = learnt.distill(model, frame).student
    without = learnt.distill(model, frame, n_artificial=0).student
    assert (with_them.predict(fresh) == truth).mean() > (without.predict(fresh) == truth).mean()


def test_numbers_are_imitated_and_other_students_too() -> None:
    cpu = learnt.datasets.cpu()
    model = learnt.GradientBoostingRegressor().fit(cpu)
    found = learnt.distill(model, cpu)
    assert found.fidelity.estimate > 0.5
    assert found.fidelity.low < found.fidelity.estimate < found.fidelity.high
    assert "R²" in str(found)
    line = learnt.distill(model, cpu, student=learnt.LinearRegression())
    assert type(line.student) is learnt.LinearRegression
    with pytest.raises(InputError, match="no picture"):
        line.draw()
    x, y = np.random.default_rng(0).standard_normal((80, 3)), np.arange(80.0)
    assert learnt.distill(PeerForest(10, random_state=0).fit(x, y), x, n_artificial=500).n_held_out == 27


def test_rules_imitate_classes_and_are_printed_and_drawn(tmp_path) -> None:
    iris = learnt.datasets.iris()
    model = learnt.RandomForestClassifier().fit(iris)
    rules = learnt.distill(model, iris, student=learnt.RuleListClassifier(), n_artificial=500)
    assert rules.fidelity.estimate > 0.8
    tree = learnt.distill(model, iris, max_leaf_nodes=3, n_artificial=1000)
    assert "petal" in str(tree)
    assert "of the answers" in tree.words
    tree.draw(tmp_path / "tree.svg")
    assert (tmp_path / "tree.svg").read_text().startswith("<")
    assert "of the answers" in tree._repr_html_()
    assert str(tree) == str(learnt.distill(model, iris, max_leaf_nodes=3, n_artificial=1000))


def test_artificial_rows_stay_among_the_rows() -> None:
    frame = mixed_rows(seed=5)
    table = Table(frame)
    drawn = artificial_rows(table, 4000, np.random.default_rng(0))
    assert drawn.n_rows == 4000
    assert drawn.schema == table.schema
    rooms, area = drawn["rooms"].values, drawn["area"].values
    assert set(rooms.tolist()) <= set(range(1, 9))  # whole numbers stay whole
    assert np.nanmin(area) >= frame["area"].min()
    assert np.nanmax(area) <= frame["area"].max()
    assert np.isnan(area).mean() == pytest.approx(frame["area"].isna().mean(), abs=0.05)
    assert len(np.unique(area)) > 500
    shares = np.bincount(drawn["town"].values, minlength=3) / 4000
    np.testing.assert_allclose(shares, np.bincount(table["town"].values, minlength=3) / 120, atol=0.1)


def test_columns_that_hang_together_still_do() -> None:
    x = np.random.default_rng(0).standard_normal(400)
    table = Table({"x": x, "y": 2 * x + 0.01 * np.random.default_rng(1).standard_normal(400)})
    drawn = artificial_rows(table, 4000, np.random.default_rng(0))
    assert np.corrcoef(drawn["x"].values, drawn["y"].values)[0, 1] > 0.99


def test_the_nearest_row_is_another_one() -> None:
    near = nearest_rows(Table({"x": [0.0, 1.0, 5.0, 5.5]}))
    assert near.tolist() == [1, 0, 3, 2]
    assert nearest_rows(Table({"x": [1.0]})).tolist() == [0]


def test_hostile_tables_are_imitated() -> None:
    one_class = learnt.MajorityClassifier().fit(mixed_rows(20), ["a"] * 20)
    assert learnt.distill(one_class, mixed_rows(20), n_artificial=50).fidelity.estimate == 1
    wild = {"x": np.r_[1e150, -1e150, np.zeros(20)], "gap": np.full(22, np.nan)}
    y = np.r_[1.0, 0.0, np.full(20, 0.5)]
    model = learnt.DecisionTreeRegressor().fit(wild, y)
    assert learnt.distill(model, wild, n_artificial=50).student.get_n_leaves() >= 1
    constant = learnt.MeanRegressor().fit(wild, np.ones(22))
    assert learnt.distill(constant, wild, n_artificial=10).fidelity.estimate == 1


def test_wrong_calls_are_refused() -> None:
    iris = learnt.datasets.iris()
    model = learnt.NaiveBayesClassifier().fit(iris)
    with pytest.raises(ParameterError, match="for regression"):
        learnt.distill(model, iris, student=learnt.LinearRegression())
    with pytest.raises(InputError, match="1 rows"):
        learnt.distill(model, iris.rows(0, 1))
    with pytest.raises(ParameterError, match="held_out"):
        learnt.distill(model, iris, held_out=1.0)
    with pytest.raises(InputError, match="is a class"):
        learnt.distill(learnt.NaiveBayesClassifier, iris)
    machine = PeerMachine().fit(np.arange(20.0).reshape(-1, 1), np.arange(20) > 9)
    assert learnt.distill(machine, np.arange(20.0).reshape(-1, 1), n_artificial=100).fidelity.estimate > 0.7
