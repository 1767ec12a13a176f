"""scikit-learn's pipelines of learnt's learners, in files without pickle."""

import json

import numpy as np
import pandas as pd
import pytest
from safetensors import safe_open
from sklearn.compose import make_column_transformer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler as Theirs

import learnt
from learnt.errors import SavedModelError

RNG = np.random.default_rng(2)
X = pd.DataFrame({"a": RNG.normal(size=60), "t": RNG.choice(["u", "v"], 60)})
X.loc[3, "a"] = np.nan
Y = np.where(X["a"].fillna(0) > 0, "yes", "no")


def chain():
    return Pipeline(
        [
            ("fill", learnt.Imputer()),
            ("nothing", "passthrough"),
            ("inner", make_pipeline(learnt.OneHotEncoder(), learnt.StandardScaler())),
            ("decide", learnt.LogisticRegression()),
        ]
    )


def test_a_fitted_pipeline_answers_as_before(tmp_path):
    model = chain().fit(X, Y)
    learnt.save(model, tmp_path / "chain.learnt", notes={"score": 0.9})
    again = learnt.load(tmp_path / "chain.learnt")
    assert type(again) is Pipeline
    assert list(again.named_steps) == ["fill", "nothing", "inner", "decide"]
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.feature_names_in_.tolist() == ["a", "t"]
    assert learnt.saving.model.read_notes(tmp_path / "chain.learnt") == {"score": 0.9}


def test_a_pipeline_that_is_not_fitted_can_be_fitted_later(tmp_path):
    learnt.save(chain(), tmp_path / "chain.learnt")
    again = learnt.load(tmp_path / "chain.learnt").fit(X, Y)
    np.testing.assert_array_equal(again.predict(X), chain().fit(X, Y).predict(X))


def test_foreign_steps_are_refused_by_name(tmp_path):
    for step in (Theirs(), make_column_transformer((learnt.StandardScaler(), ["a"]))):
        with pytest.raises(SavedModelError, match=f"The step 'scale' is a {type(step).__name__} of sklearn"):
            learnt.save(Pipeline([("scale", step), ("decide", learnt.LogisticRegression())]), tmp_path / "x.learnt")
    with pytest.raises(SavedModelError, match="memory"):
        learnt.save(Pipeline([("decide", learnt.LogisticRegression())], memory="cache"), tmp_path / "x.learnt")
    assert not list(tmp_path.iterdir())


def test_files_of_learners_alone_stay_readable_for_earlier_versions(tmp_path):
    learnt.save(learnt.MeanRegressor(), tmp_path / "one.learnt")
    learnt.save(chain(), tmp_path / "two.learnt")
    versions = []
    for name in ("one", "two"):
        with safe_open(tmp_path / f"{name}.learnt", "np") as file:
            versions.append(json.loads(file.metadata()["learnt"])["format_version"])
    assert versions == [1, 2]


@pytest.mark.parametrize(
    "node",
    [
        {"$": "pipeline", "names": ["a"], "steps": []},
        {"$": "pipeline", "names": [], "steps": []},
        {"$": "pipeline", "names": ["a", "a"], "steps": ["passthrough", "passthrough"]},
        {"$": "pipeline", "names": ["a__b"], "steps": ["passthrough"]},
        {"$": "pipeline", "names": [3], "steps": ["passthrough"]},
        {"$": "pipeline", "names": ["a"], "steps": [5]},
        {"$": "pipeline", "names": ["a"], "steps": ["passthrough"], "memory": "/tmp"},
    ],
)
def test_a_broken_pipeline_in_a_file_is_refused(node):
    from learnt.saving.container import Refused
    from learnt.saving.decode import Decoder

    with pytest.raises(Refused):
        Decoder(None).value(node)
