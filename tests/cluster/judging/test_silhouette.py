"""Silhouettes: scikit-learn's numbers, any metric, samples with an honest error."""

import sys

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from sklearn.metrics import silhouette_samples, silhouette_score

import learnt
from learnt import silhouette
from learnt.errors import InputError, ParameterError

RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(c, 1, (60, 4)) for c in (0, 3, 5)])
LABELS = np.repeat([0, 1, 2], 60)


def by_definition(d, labels):
    """Row by row, as the definition says."""
    widths = []
    for i, own in enumerate(labels):
        if (labels == own).sum() == 1:
            widths.append(0.0)
            continue
        a = d[i][(labels == own) & (np.arange(len(labels)) != i)].mean()
        b = min(d[i][labels == other].mean() for other in np.unique(labels) if other != own)
        widths.append((b - a) / max(a, b) if max(a, b) > 0 else 0.0)
    return np.array(widths)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "cosine"])
def test_widths_are_those_of_scikit_learn(metric):
    found = silhouette(X, LABELS, metric)
    np.testing.assert_allclose(found.widths, silhouette_samples(X, LABELS, metric=metric), atol=1e-12)
    assert found.mean == pytest.approx(silhouette_score(X, LABELS, metric=metric), abs=1e-12)
    assert found.standard_error == 0
    np.testing.assert_array_equal(found.rows, np.arange(180))


def test_other_metrics_and_given_distances_are_measured_by_blocks():
    d = cdist(X, X, "minkowski", p=3)
    expected = by_definition(d, LABELS)
    np.testing.assert_allclose(silhouette(X, LABELS, "minkowski", p=3).widths, expected, atol=1e-12)
    np.testing.assert_allclose(silhouette(d, LABELS, "precomputed").widths, expected, atol=1e-12)
    own = silhouette(X[::6], LABELS[::6], lambda a, b: float(np.abs(a - b).sum()))
    np.testing.assert_allclose(own.widths, silhouette_samples(X[::6], LABELS[::6], metric="manhattan"), atol=1e-12)


def test_a_small_block_gives_what_a_large_one_gives(monkeypatch):
    d = cdist(X, X)
    whole = silhouette(d, LABELS, "precomputed")
    monkeypatch.setattr(sys.modules["learnt.cluster.judging.silhouette"], "_CELLS", 700)
    part = silhouette(d, LABELS, "precomputed")
    np.testing.assert_array_equal(part.widths, whole.widths)
    np.testing.assert_array_equal(part.neighbour, whole.neighbour)


def test_neighbours_and_cluster_means_are_told():
    found = silhouette(X, np.array(["a", "b", "c"])[LABELS])
    d = cdist(X, X)
    means = np.stack([d[:, c == LABELS].mean(axis=1) for c in range(3)], axis=1)
    means[np.arange(180), LABELS] = np.inf
    assert found.neighbour.tolist() == np.array(["a", "b", "c"])[means.argmin(axis=1)].tolist()
    np.testing.assert_allclose(found.between, means.min(axis=1))
    np.testing.assert_allclose(found.cluster_means, [found.widths[c == LABELS].mean() for c in range(3)])
    assert "mean silhouette" in str(found)
    assert len(str(found).splitlines()) == 5


def test_singletons_score_zero_and_noise_is_left_out():
    labels = LABELS.copy()
    labels[:10], labels[10] = -1, 7
    found = silhouette(X, labels)
    assert found.rows.tolist() == list(range(10, 180))
    assert found.widths[0] == 0
    np.testing.assert_allclose(found.widths, silhouette_samples(X[10:], labels[10:]), atol=1e-12)
    all_of_them = silhouette(X, labels, noise=None)
    np.testing.assert_allclose(all_of_them.widths, silhouette_samples(X, labels), atol=1e-12)


def test_a_weight_of_two_is_a_row_twice():
    w = RNG.integers(0, 3, 180)
    weighted, copied = silhouette(X, LABELS, sample_weight=w), silhouette(np.repeat(X, w, axis=0), np.repeat(LABELS, w))
    assert weighted.mean == pytest.approx(copied.mean, abs=1e-12)
    np.testing.assert_allclose(np.repeat(weighted.widths, w[w > 0]), copied.widths, atol=1e-12)
    d = cdist(X, X)
    np.testing.assert_allclose(
        silhouette(d, LABELS, "precomputed", sample_weight=w).widths, weighted.widths, atol=1e-12
    )


@pytest.mark.parametrize("sample", [40, 160])
def test_a_sample_has_the_widths_of_its_rows_and_says_how_far_its_mean_may_be_off(sample):
    whole = silhouette(X, LABELS)
    off = []
    for seed in range(200):
        some = silhouette(X, LABELS, sample=sample, random_state=seed)
        np.testing.assert_allclose(some.widths, whole.widths[some.rows], atol=1e-14)
        assert some.standard_error > 0
        off.append((some.mean - whole.mean) / some.standard_error)
    assert 0.75 < np.std(off) < 1.3
    assert abs(np.mean(off)) < 0.3
    assert f"from {sample} of 180 rows" in str(some)


def test_the_interval_of_a_sample_holds_the_mean_of_all_rows():
    whole = silhouette(X, LABELS)
    assert whole.interval() == (whole.mean, whole.mean)
    samples = [silhouette(X, LABELS, sample=20, random_state=seed) for seed in range(400)]
    held = np.mean([low <= whole.mean <= high for low, high in (some.interval() for some in samples)])
    assert 0.92 <= held <= 0.98  # ± 1.96 standard errors: .87 to .91
    narrow, wide = samples[0].interval(0.5), samples[0].interval(0.99)
    assert -1 <= wide[0] < narrow[0] < narrow[1] < wide[1] <= 1
    assert silhouette(X, LABELS, sample=1).interval() == (-1, 1)
    with pytest.raises(learnt.errors.ParameterError, match="level=95"):
        samples[0].interval(95)


def test_mixed_tables_with_gaps_are_measured_by_the_mixed_metric():
    table = learnt.datasets.load("labor")
    labels = np.arange(table.n_rows) % 3
    rows = table.drop(table.target)
    d = learnt.distance.pairwise(rows, metric="auto")
    np.fill_diagonal(d, 0)
    found = silhouette(table, labels)
    np.testing.assert_allclose(found.widths, by_definition(d, labels), atol=1e-12)


def test_texts_are_compared_by_edits():
    words = ["kitten", "mitten", "bitten", "house", "mouse"]
    found = silhouette(words, [0, 0, 0, 1, 1], "levenshtein")
    d = learnt.distance.pairwise(words, metric="levenshtein")
    np.testing.assert_allclose(found.widths, by_definition(d, np.array([0, 0, 0, 1, 1])))


@pytest.mark.parametrize("scale", [1e-150, 1e150, 1e300])
def test_scales_do_not_matter(scale):
    np.testing.assert_allclose(silhouette(X * scale, LABELS).widths, silhouette(X, LABELS).widths, rtol=1e-9)


def test_duplicates_alone_score_zero():
    assert silhouette(np.ones((6, 2)), [0, 0, 0, 1, 1, 1]).widths.tolist() == [0.0] * 6


def test_what_makes_no_sense_is_refused():
    with pytest.raises(InputError, match="1 clusters"):
        silhouette(X, np.zeros(180, int))
    with pytest.raises(InputError, match="after 180 rows"):
        silhouette(X, np.full(180, -1))
    with pytest.raises(InputError, match="labels has 3"):
        silhouette(X, [0, 1, 2])
    with pytest.raises(ParameterError, match="sample"):
        silhouette(X, LABELS, sample=0)
    with pytest.raises(InputError, match="square"):
        silhouette(X, LABELS, "precomputed")
    with pytest.raises(InputError, match="missing"):
        silhouette(X, pd.Series([None] * 180, dtype=object))


def test_the_picture_has_a_shape_for_each_cluster():
    ax = silhouette(X, LABELS).plot()
    assert len(ax.collections) == 3
    assert [label.get_text().split("\n")[0] for label in ax.get_yticklabels()] == ["0", "1", "2"]
