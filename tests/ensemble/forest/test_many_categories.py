"""Forests on columns of many categories, against scikit-learn's on encoded ones."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier as PeerForest
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, TargetEncoder

import learnt


@pytest.mark.costly
@pytest.mark.parametrize("learner", [learnt.RandomForestClassifier, learnt.ExtraTreesClassifier])
def test_probabilities_are_better_than_by_indicators_or_by_target_encoding(learner):
    """Towns tell of the target, names are noise; both have hundreds of categories of some ten rows each."""
    rng = np.random.default_rng(2)
    n, k = 5000, 300
    town, effect, number = rng.integers(0, k, n), rng.normal(size=k), rng.normal(size=(n, 3))
    x = pd.DataFrame(number, columns=["a", "b", "c"])
    x["town"] = pd.Categorical([f"t{i}" for i in town])
    x["name"] = pd.Categorical([f"n{i}" for i in rng.integers(0, k, n)])
    y = (number[:, 0] + effect[town] + rng.logistic(size=n) > 0).astype(int)
    train, test = slice(0, 3000), slice(3000, n)

    def loss(model):
        said = np.asarray(model.fit(x[train], y[train]).predict_proba(x[test]))
        return log_loss(y[test], np.clip(said, 1e-6, 1))

    encoders = (OneHotEncoder(handle_unknown="ignore", min_frequency=2), TargetEncoder(cv=StratifiedKFold(5)))
    peers = [
        loss(
            make_pipeline(
                make_column_transformer((encoder, ["town", "name"]), remainder="passthrough"),
                PeerForest(random_state=0),
            )
        )
        for encoder in encoders
    ]
    assert loss(learner()) < min(peers)
