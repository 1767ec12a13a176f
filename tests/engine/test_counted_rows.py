"""A label or a class that only rows of weight 0 have is not learnt, unless the data itself declares it."""

import numpy as np
import pandas as pd
import pytest

import learnt

TOWNS, WEIGHTS = ["Bern", "Basel", "Bern", "Ghost"], [1.0, 1.0, 2.0, 0.0]


def test_labels_of_rows_without_weight_are_not_learnt():
    encoder = learnt.OneHotEncoder().fit({"town": TOWNS}, sample_weight=WEIGHTS)
    assert list(encoder.get_feature_names_out()) == ["town=Basel", "town=Bern"]
    bayes = learnt.NaiveBayesClassifier().fit({"town": TOWNS}, ["a", "b", "a", "b"], WEIGHTS)
    without = learnt.NaiveBayesClassifier().fit({"town": TOWNS[:3]}, ["a", "b", "a"], WEIGHTS[:3])
    np.testing.assert_array_equal(bayes.predict_proba({"town": TOWNS}), without.predict_proba({"town": TOWNS}))


@pytest.mark.parametrize("target", [["a", "b", "a", "ghost"], [0, 1, 0, 7]])
def test_nor_are_their_classes(target):
    model = learnt.MajorityClassifier().fit({"x": [1.0, 2.0, 3.0, 4.0]}, target, WEIGHTS)
    assert model.classes_.tolist() == sorted(set(target[:3]))
    assert model.predict_proba({"x": [1.0]}).shape == (1, 2)


def test_labels_that_are_declared_stay():
    declared = pd.DataFrame({"town": pd.Categorical(TOWNS, categories=["Basel", "Bern", "Ghost"])})
    kept = declared[:3]
    one = learnt.NaiveBayesClassifier().fit(declared, ["a", "b", "a", "b"], WEIGHTS)
    two = learnt.NaiveBayesClassifier().fit(kept, ["a", "b", "a"], WEIGHTS[:3])
    np.testing.assert_array_equal(one.predict_proba(declared), two.predict_proba(declared))


@pytest.mark.filterwarnings("ignore:Only 1 of 3 clusters")
@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_k_means_with_one_row_that_counts_is_that_of_its_copies(init):
    x = np.random.default_rng(0).normal(size=(40, 3))
    weighted = learnt.KMeans(3, init=init).fit(x, sample_weight=np.r_[5.0, np.zeros(39)])
    copied = learnt.KMeans(3, init=init).fit(np.repeat(x[:1], 5, axis=0))
    np.testing.assert_array_equal(weighted.cluster_centers_, copied.cluster_centers_)
