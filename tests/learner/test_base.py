"""A learner in a dozen lines, and what the base gives it for that."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest

import learnt
from learnt.engine.passes import Statistic
from learnt.errors import InputError, NotFittedError
from learnt.learner.base import Classifier, Learner, Regressor
from learnt.learner.output import FrameOutput


@dataclass(frozen=True)
class Extremes(Statistic):
    rows: int
    low: float
    high: float

    def _merge(self, other):
        return Extremes(self.rows + other.rows, min(self.low, other.low), max(self.high, other.high))


class _MidRange(Regressor):
    """Predicts the middle between the smallest and the largest target."""

    abilities = frozenset({"missing", "nominal", "passes"})

    def summarize(self, batch):
        if not batch.n_rows:
            return Extremes(0, np.inf, -np.inf)
        return Extremes(batch.n_rows, batch.target.min(), batch.target.max())

    def solve(self, statistic):
        self.middle_ = (statistic.low + statistic.high) / 2

    def _predict(self, table):
        return np.full(table.n_rows, self.middle_)


class _Coin(Classifier):
    def _plan(self, training):
        self.shares_ = np.full(len(self.classes_), 1 / len(self.classes_))
        return
        yield

    def _probabilities(self, table):
        return np.tile(self.shares_, (table.n_rows, 1))


class _Widths(Learner, FrameOutput):
    def _plan(self, training):
        self.width_ = training.source.n_columns
        return
        yield

    def get_feature_names_out(self, input_features=None):
        return np.array(["a", "b"], dtype=object)

    def transform(self, X):
        return self._framed(self._over(X, lambda t: np.ones((t.n_rows, 2))), X)


def test_a_learner_of_one_pass_writes_two_hooks() -> None:
    model = _MidRange().fit({"x": ["a", "b", None]}, [0.0, 1.0, 10.0])
    assert model.predict({"x": ["zzz"]}).tolist() == [5.0]


def test_the_same_learner_fits_a_scan(tmp_path) -> None:
    (tmp_path / "rows.csv").write_text("x,y\n1,4\n2,8\n3,6\n")
    source = learnt.scan(tmp_path / "rows.csv", target="y")
    model = _MidRange().fit(source)
    assert model.middle_ == 6.0
    assert model.predict(source).tolist() == [6.0, 6.0, 6.0]
    assert model.score(source) == learnt.MeanRegressor().fit(source).score(source)


def test_ties_go_to_the_first_class() -> None:
    assert _Coin().fit([[0.0]] * 2, ["b", "a"]).predict([[1.0]]).tolist() == ["a"]


def test_r_squared_is_its_definition() -> None:
    rng = np.random.default_rng(0)
    x, y, w = rng.normal(size=(30, 2)), rng.normal(size=30), rng.random(30)
    model = learnt.LinearRegression().fit(x, y)
    from sklearn.metrics import r2_score

    assert model.score(x, y) == pytest.approx(r2_score(y, model.predict(x)))
    assert model.score(x, y, w) == pytest.approx(r2_score(y, model.predict(x), sample_weight=w))


def test_accuracy_is_its_definition() -> None:
    x, y, w = np.zeros((5, 1)), np.array(["a", "a", "a", "b", "c"]), np.array([1.0, 1, 1, 2, 5])
    model = learnt.MajorityClassifier().fit(x, y)
    assert model.score(x, y) == 0.6
    assert model.score(x, y, w) == 0.3
    assert model.score(x, ["d"] * 5) == 0.0


def test_a_constant_target_scores_one_when_met_and_zero_when_not() -> None:
    model = learnt.MeanRegressor().fit([[1.0], [2.0]], [3.0, 3.0])
    assert model.score([[1.0], [2.0]], [3.0, 3.0]) == 1.0
    assert model.score([[1.0], [2.0]], [4.0, 4.0]) == 0.0


@pytest.mark.parametrize("kind", ["default", "pandas", "polars"])
def test_transform_returns_the_container_asked_for(kind) -> None:
    import pandas as pd

    frame = pd.DataFrame({"x": [1.0, 2.0]}, index=["r", "s"])
    model = _Widths().set_output(transform=kind).fit(frame)
    out = model.transform(frame)
    assert type(out).__module__.split(".")[0] == {"default": "pandas"}.get(kind, kind)
    assert list(out.columns) == ["a", "b"]
    if kind != "polars":
        assert out.index.tolist() == ["r", "s"]
    assert learnt.clone(model)._sklearn_output_config == {"transform": kind}


def test_an_unknown_container_is_an_error() -> None:
    with pytest.raises(learnt.errors.ParameterError, match="'excel'"):
        _Widths().set_output(transform="excel")


def test_scikit_learns_own_setting_is_followed() -> None:
    import sklearn

    model = _Widths().fit([[1.0]])
    with sklearn.config_context(transform_output="polars"):
        assert type(model.transform([[1.0]])).__module__.startswith("polars")


def test_names_that_only_one_side_has_are_warned_about() -> None:
    import pandas as pd

    named = pd.DataFrame({"x": [1.0, 2.0]})
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        _MidRange().fit(named, [1.0, 2.0]).predict(named.to_numpy())
    with pytest.warns(UserWarning, match="was fitted without feature names"):
        _MidRange().fit(named.to_numpy(), [1.0, 2.0]).predict(named)


def test_another_number_of_columns_is_an_error_with_both_numbers() -> None:
    model = _MidRange().fit(np.ones((3, 4)), [1.0, 2.0, 3.0])
    with pytest.raises(InputError, match=r"5 features.*4 features"):
        model.predict(np.ones((3, 5)))


def test_errors_survive_pickling() -> None:
    import sklearn.exceptions

    with pytest.raises(NotFittedError) as raised:
        _MidRange().predict([[1.0]])
    again = pickle.loads(pickle.dumps(raised.value))
    assert isinstance(again, sklearn.exceptions.NotFittedError)
    assert str(again) == str(raised.value)


@pytest.mark.costly
def test_scikit_learn_is_not_imported_unless_it_asks() -> None:
    code = (
        "import sys, numpy, learnt\n"
        "for entry in learnt.learners():\n"
        "    model = entry.cls()\n"
        "    repr(model), model._repr_html_(), learnt.clone(model)\n"
        "    x = ['one text', 'another text'] * 10 if 'text' in entry.abilities else numpy.random.rand(20, 2)\n"
        "    model.fit(x, numpy.arange(20) % 2)\n"
        "    model.predict(x) if hasattr(model, 'predict') else model.transform(x)\n"
        "    hasattr(model, 'predict') and model.explain(x)[0]\n"
        "assert not [m for m in ('sklearn', 'pandas', 'polars', 'pyarrow', 'matplotlib') if m in sys.modules]\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr


def test_learners_work_in_scikit_learns_tools() -> None:
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    search = GridSearchCV(learnt.LinearRegression(), {"fit_intercept": [True, False]}, cv=3).fit(x, y)
    assert isinstance(search.best_estimator_, learnt.LinearRegression)
    assert len(cross_val_score(make_pipeline(StandardScaler(), learnt.LinearRegression()), x, y, cv=4)) == 4
    clusters = make_pipeline(StandardScaler(), learnt.KMeans(3, random_state=0)).fit(x)
    assert clusters.predict(x).shape == (60,)


@pytest.mark.parametrize("entry", learnt.learners(), ids=lambda entry: entry.name)
def test_dir_shows_what_users_call(entry) -> None:
    names = dir(entry.cls())
    assert {"fit", "get_params", "set_params", *entry.cls._defaults()} <= set(names)
    assert not [name for name in names if name.startswith("_") or name.endswith("_")]
    assert not {"summarize", "solve", "whole", "needs", "domains", "fit_cost"} & set(names)
    assert ("predict" in names) == hasattr(entry.cls, "predict")


def test_dir_shows_what_was_learnt_and_explain_only_where_it_answers() -> None:
    iris = learnt.datasets.load("iris")
    assert {"tree_", "classes_", "explain", "predict"} <= set(dir(learnt.DecisionTreeClassifier().fit(iris, "class")))
    assert "explain" not in dir(learnt.StandardScaler())
    assert "explain" in dir(learnt.PCA())
