"""Forests grown by the workers of a cluster: the trees of one machine, and no row at the client."""

from __future__ import annotations

import os
import signal
import threading

import numpy as np
import pytest
from tests.engine.cluster.files import bits, frame, parquet
from tests.small_cluster import cluster_of

import learnt
from learnt.ensemble.forest.growth import CodedRows
from learnt.errors import ParameterError

pytestmark = [pytest.mark.timeout(300), pytest.mark.xdist_group("cluster")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return parquet(tmp_path_factory.mktemp("rows"))


def refuse(*_: object) -> None:
    raise AssertionError("codes of rows came to the client")


FORESTS = {
    "classes": (lambda: learnt.RandomForestClassifier(n_estimators=9, max_depth=4, class_weight="balanced"), "t"),
    "numbers": (lambda: learnt.ExtraTreesRegressor(n_estimators=9, max_depth=4), "y"),
}


@pytest.mark.parametrize("which", FORESTS)
def test_workers_grow_the_trees_of_one_machine(small_cluster, folder, monkeypatch, which):
    make, target = FORESTS[which]
    alone = make().fit(learnt.scan(folder), target)
    monkeypatch.setattr(CodedRows, "joined", refuse)
    with learnt.cluster(small_cluster), learnt.watch() as log:
        together = make().fit(learnt.scan(folder), target)
    assert bits(together) == bits(alone)
    assert [step.iteration for step in log if step.what == "trees"][-1] == 9


def test_a_warm_start_goes_on_with_trees_of_workers(small_cluster, folder):
    settings = {"max_depth": 3, "warm_start": True}
    whole = learnt.RandomForestClassifier(n_estimators=7, **settings).fit(learnt.scan(folder), "t")
    with learnt.cluster(small_cluster):
        model = learnt.RandomForestClassifier(n_estimators=3, **settings).fit(learnt.scan(folder), "t")
        model.set_params(n_estimators=7).fit(learnt.scan(folder), "t")
    assert bits(model) == bits(whole)


def test_what_is_said_out_of_bag_is_that_of_one_machine(small_cluster, folder):
    """Its rows come to the client, as the page says."""
    settings = {"n_estimators": 5, "max_depth": 3, "oob_score": True}
    alone = learnt.RandomForestClassifier(**settings).fit(learnt.scan(folder), "t")
    with learnt.cluster(small_cluster):
        together = learnt.RandomForestClassifier(**settings).fit(learnt.scan(folder), "t")
    assert together.oob_score_ == alone.oob_score_


def test_a_refusal_while_growing_comes_in_words(small_cluster, folder):
    with (
        learnt.cluster(small_cluster),
        pytest.raises(ParameterError, match=r"max_samples=20000 is more than the 10500"),
    ):
        learnt.RandomForestClassifier(n_estimators=3, max_samples=20_000).fit(learnt.scan(folder), "t")


@pytest.mark.costly
def test_a_worker_that_dies_while_trees_grow_changes_no_bit(tmp_path):
    from distributed import Client

    rows = frame(12_000)
    for i, part in enumerate(np.array_split(np.arange(len(rows)), 4)):
        rows.iloc[part].to_parquet(tmp_path / f"{i}.parquet")
    model = learnt.RandomForestClassifier(n_estimators=60)
    alone = bits(model.fit(learnt.scan(tmp_path), "t"))
    with cluster_of(2) as machines, Client(machines, set_as_default=False) as client:
        victim = client.run(os.getpid)
        gone = threading.Event()

        def kill(step):
            if step.what == "trees" and not gone.is_set():
                gone.set()
                os.kill(next(iter(victim.values())), signal.SIGKILL)

        with learnt.cluster(client), learnt.watch(kill):
            assert bits(model.fit(learnt.scan(tmp_path), "t")) == alone
        assert gone.is_set()


@pytest.mark.costly
def test_workers_see_the_statistics_of_one_machine(small_cluster, tmp_path):
    rows, rng = frame(), np.random.default_rng(4)
    street = rng.integers(0, 900, len(rows))
    rows["street"] = [f"street {i}" for i in street]
    rows["y"] += rng.normal(size=900)[street]
    for i, part in enumerate(np.array_split(np.arange(len(rows)), 3)):
        rows.iloc[part].to_parquet(tmp_path / f"{i}.parquet")
    model = learnt.RandomForestRegressor(n_estimators=9, max_depth=5)
    alone = model.fit(learnt.scan(tmp_path), "y")
    assert (alone.trees_.otherwise >= 0).any()  # tests of sets send categories they do not list as missing ones
    before = bits(alone)
    with learnt.cluster(small_cluster):
        assert bits(model.fit(learnt.scan(tmp_path), "y")) == before
