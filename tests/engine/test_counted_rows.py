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


# The same of scans


def scanned(tmp_path, **columns):
    path = tmp_path / "rows.csv"
    rows = zip(*columns.values(), strict=True)
    path.write_text("\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)]) + "\n", "utf-8")
    return learnt.scan(path, batch_rows=2)


@pytest.mark.parametrize("target", [["a", "b", "a", "ghost"], [0, 1, 0, 7], ["a", "b", "a", "b"]])
@pytest.mark.parametrize(
    "learner", [learnt.NaiveBayesClassifier, learnt.MajorityClassifier, learnt.MultiResponseClassifier]
)
def test_a_scan_learns_what_a_table_learns_without_rows_of_weight_0(tmp_path, learner, target):
    rows = scanned(tmp_path, town=TOWNS, w=WEIGHTS, y=target)
    streamed = learner().fit(rows, "y", sample_weight="w")
    in_memory = learner().fit({"town": TOWNS[:3]}, target[:3], WEIGHTS[:3])
    assert streamed.classes_.tolist() == in_memory.classes_.tolist()
    assert streamed._schema == in_memory._schema
    asked = {"town": TOWNS}
    np.testing.assert_allclose(streamed.predict_proba(asked), in_memory.predict_proba(asked), rtol=1e-9, atol=1e-12)


def test_a_scan_is_encoded_without_labels_of_rows_of_weight_0(tmp_path):
    encoder = learnt.OneHotEncoder().fit(scanned(tmp_path, town=TOWNS, w=WEIGHTS), sample_weight="w")
    assert list(encoder.get_feature_names_out()) == ["town=Basel", "town=Bern"]
    even = learnt.OneHotEncoder().fit(scanned(tmp_path, town=TOWNS, w=[1, 1, 2, 3]), sample_weight="w")
    assert "town=Ghost" in even.get_feature_names_out()


def test_a_scan_without_any_weight_is_refused(tmp_path):
    rows = scanned(tmp_path, town=TOWNS, w=[0, 0, 0, 0], y=["a", "b", "a", "b"])
    with pytest.raises(learnt.errors.InputError, match="All sample weights are zero"):
        learnt.MajorityClassifier().fit(rows, "y", sample_weight="w")


@pytest.mark.parametrize(("size", "words"), [(1e170, "overflow"), (1e-170, "vanish")])
@pytest.mark.parametrize("learner", [learnt.RandomForestRegressor, learnt.GradientBoostingRegressor])
def test_targets_without_squares_are_refused_in_scans_and_tables(tmp_path, learner, size, words):
    x, y = [1.0, 2.0, 3.0, 4.0], [size, 2 * size, 3 * size, 5 * size]
    for fit in (
        lambda: learner().fit({"x": x}, y),
        lambda: learner().fit(scanned(tmp_path, x=x, y=y), "y"),
    ):
        with pytest.raises(learnt.errors.InputError, match=words):
            fit()
    far = scanned(tmp_path, x=x, y=[1.0, 2.0, 3.0, 1e170], w=[1, 1, 1, 0])
    assert np.isfinite(learner().fit(far, "y", sample_weight="w").predict({"x": x})).all()


def test_weights_that_overflow_are_refused():
    with pytest.raises(learnt.errors.InputError, match="row 1 has 1e\\+300"):
        learnt.MeanRegressor().fit({"x": [1.0, 2.0]}, [1.0, 2.0], [1.0, 1e300])


def test_sums_of_squares_that_overflow_are_refused_however_the_rows_are_cut(tmp_path):
    x, y = [1.0, 2.0, 3.0, 4.0], [1e170, 2e170, 3e170, 5e170]
    for learner in (learnt.LinearRegression, learnt.Ridge, learnt.Lasso):
        for source, target in (({"x": x}, y), (scanned(tmp_path, x=x, y=y), "y")):
            with pytest.raises(learnt.errors.InputError, match="squares overflow"):
                learner().fit(source, target)
