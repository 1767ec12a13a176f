"""Agreement among restarts."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from scipy.stats import t
from sklearn.metrics import adjusted_rand_score

import learnt
from learnt import KMeans, KMedoids, consensus_clustering
from learnt.errors import InputError, ParameterError

RNG = np.random.default_rng(0)
BLOBS = np.concatenate([RNG.normal(c, 0.5, (40, 2)) for c in ((0, 0), (6, 0), (0, 6), (6, 6))])


def co_association(runs):
    runs = np.asarray(runs)
    return ((runs[:, :, None] == runs[:, None, :]) & (runs >= 0)[:, :, None]).mean(axis=0)


def test_the_consensus_is_average_linkage_of_all_rows():
    runs = RNG.integers(0, 3, (7, 60))
    runs[:, :30] = np.where(RNG.random((7, 30)) < 0.8, 0, runs[:, :30])
    found = consensus_clustering(list(runs), n_clusters=3)
    together = co_association(runs)
    np.fill_diagonal(together, 1)
    np.testing.assert_allclose(found.together(), together)
    tree = linkage(squareform(1 - together, checks=False), "average")
    assert adjusted_rand_score(found.labels, fcluster(tree, 3, "maxclust")) == 1
    firsts = [int(np.flatnonzero(found.labels == c)[0]) for c in range(3)]
    assert firsts == sorted(firsts)


def test_stability_is_the_mean_share_of_runs_with_the_others_of_the_cluster():
    runs = RNG.integers(-1, 3, (5, 40))
    found = consensus_clustering(list(runs), n_clusters=2)
    together = co_association(runs)
    shown = found.together()
    np.fill_diagonal(shown, np.diag(together))
    np.testing.assert_allclose(shown, together)
    for i in range(40):
        others = (found.labels == found.labels[i]) & (np.arange(40) != i)
        expected = together[i][others].mean() if others.any() else 1.0
        assert found.stability[i] == pytest.approx(expected, abs=1e-12)


def test_agreement_is_the_adjusted_rand_index_of_pairs_of_runs():
    runs = RNG.integers(0, 3, (6, 50))
    found = consensus_clustering(list(runs))
    pairs = [adjusted_rand_score(runs[i], runs[j]) for i in range(6) for j in range(i)]
    assert found.mean == pytest.approx(np.mean(pairs), abs=1e-12)
    without = [[r not in (i, j) for i in range(6) for j in range(i)] for r in range(6)]
    rest = np.array([np.mean(np.array(pairs)[kept]) for kept in without])
    error = np.sqrt(5 / 6 * ((rest - np.mean(rest)) ** 2).sum())
    np.testing.assert_allclose(found.interval, found.mean + np.array([-1, 1]) * t.ppf(0.975, 5) * error, rtol=1e-9)


def test_unlucky_starts_are_told_and_the_consensus_escapes_them():
    found = consensus_clustering(KMeans(4, init="random"), BLOBS, n_runs=20, random_state=0)
    assert 0 < len(found.unlucky) < 20
    best = found.objectives.min()
    np.testing.assert_array_equal(found.unlucky, np.flatnonzero(found.objectives > 1.01 * best))
    assert f"{len(found.unlucky)} of 20 starts were unlucky" in str(found)
    few = replace(found, objectives=np.array([100.0, 100.9, 101.1, 130.0]))
    assert few.unlucky.tolist() == [2, 3]
    assert replace(few, less_is_better=False).unlucky.tolist() == [0, 1, 2]
    assert adjusted_rand_score(found.labels, np.repeat(range(4), 40)) == 1
    again = consensus_clustering(KMeans(4, init="random"), BLOBS, n_runs=20, random_state=0)
    np.testing.assert_array_equal(again.runs, found.runs)


def test_sure_clusters_agree_always():
    found = consensus_clustering(KMedoids(4), BLOBS, n_runs=3)
    assert found.mean == 1
    assert found.interval == (1.0, 1.0)
    assert found.stability.min() == 1
    assert "no start was unlucky" in str(found)
    assert len(consensus_clustering(KMedoids(4), BLOBS, n_runs=4, share=0.7, random_state=0).runs) == 4


def test_more_kinds_of_rows_than_are_compared_follow_the_heaviest(monkeypatch):
    runs = [np.where(RNG.random(160) < 0.1, RNG.integers(0, 4, 160), np.repeat(range(4), 40)) for _ in range(8)]
    whole = consensus_clustering(runs)
    monkeypatch.setattr("learnt.cluster.judging.co_association._MOST", 12)
    part = consensus_clustering(runs)
    assert adjusted_rand_score(part.labels, whole.labels) > 0.9
    assert len(part.kinds.counts) > 12


def test_a_mixed_table_will_do():
    found = consensus_clustering(KMeans(3), learnt.datasets.load("labor"), n_runs=5, random_state=1)
    assert found.labels.shape == (57,)


def test_the_picture_is_a_square_of_the_rows_shown():
    found = consensus_clustering(KMeans(4), BLOBS, n_runs=3, random_state=0)
    assert found.plot().images[0].get_array().shape == (160, 160)
    assert found.plot(most=50).images[0].get_array().shape == (50, 50)


def test_what_makes_no_sense_is_refused():
    with pytest.raises(InputError, match="at least two"):
        consensus_clustering([[0, 1]])
    with pytest.raises(InputError, match="Clustering 1 has 3 rows"):
        consensus_clustering([[0, 1], [0, 1, 1]])
    with pytest.raises(InputError, match="give X"):
        consensus_clustering(KMeans(2))
    with pytest.raises(ParameterError, match="share"):
        consensus_clustering(KMeans(2), BLOBS, share=1.5)
    with pytest.raises(ParameterError, match="leaves nothing to chance"):
        consensus_clustering(learnt.AgglomerativeClustering(2), BLOBS)
    with pytest.raises(ParameterError, match="n_runs"):
        consensus_clustering(KMeans(2), BLOBS, n_runs=1)
