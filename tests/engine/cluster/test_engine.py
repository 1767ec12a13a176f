"""Fits on a cluster: the model of one machine, whoever has which piece."""

from __future__ import annotations

import contextlib
import logging
import time

import numpy as np
import pytest
from tests.engine.cluster.files import LEARNERS, N_ROWS, assert_same, bits, fitted, frame, parquet

import learnt
from learnt.engine.cluster.kept_rows import KeptRows
from learnt.engine.cluster.round import Round
from learnt.errors import FileError, InputError

distributed = pytest.importorskip("distributed", reason="a cluster needs distributed")

pytestmark = [pytest.mark.timeout(300), pytest.mark.xdist_group("cluster")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return parquet(tmp_path_factory.mktemp("rows"))


@contextlib.contextmanager
def threads_as_workers(n_workers: int, threads: int = 1):
    """Workers within this process: nothing to start, and nothing they may set for all of it."""
    settings = {"processes": False, "dashboard_address": ":0", "silence_logs": logging.CRITICAL}
    with (
        distributed.LocalCluster(n_workers=n_workers, threads_per_worker=threads, **settings) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.mark.parametrize("name", LEARNERS)
def test_two_processes_find_the_model_of_one_machine(small_cluster, folder, name):
    with learnt.cluster(small_cluster):
        together = fitted(name, learnt.scan(folder))
        again = fitted(name, learnt.scan(folder))
    assert_same(together, fitted(name, learnt.scan(folder)))
    assert bits(together) == bits(again)


@pytest.mark.costly
@pytest.mark.parametrize("name", ["k-means", "boosting"])
def test_the_bits_do_not_depend_on_the_number_of_workers_or_threads(small_cluster, folder, name):
    with learnt.cluster(small_cluster):
        expected = bits(fitted(name, learnt.scan(folder)))
    for n_workers, threads in ((1, 1), (1, 3), (4, 1)):
        with threads_as_workers(n_workers, threads) as client, learnt.cluster(client):
            assert bits(fitted(name, learnt.scan(folder))) == expected


@pytest.mark.costly
@pytest.mark.parametrize("n_pieces", [1, 50])
def test_one_piece_and_fifty_give_the_same_model(small_cluster, tmp_path, n_pieces):
    """One leaves a worker idle."""
    parquet(tmp_path, n_pieces)
    for name in ("least squares", "boosting"):
        with learnt.cluster(small_cluster):
            together = fitted(name, learnt.scan(tmp_path))
        assert_same(together, fitted(name, learnt.scan(tmp_path)))


@pytest.mark.costly
@pytest.mark.parametrize("name", ["naive Bayes", "least squares", "logistic regression"])
def test_what_comes_to_the_client_does_not_grow_with_rows(tmp_path, monkeypatch, name):
    came, add = [], Round._add

    def counted(self, asked, answer):
        came[-1] += len(answer.nodes)
        add(self, asked, answer)

    monkeypatch.setattr(Round, "_add", counted)
    with threads_as_workers(2) as client, learnt.cluster(client):
        for n_rows in (1_500, 15_000):
            came.append(0)
            (tmp_path / str(n_rows)).mkdir()
            fitted(name, learnt.scan(parquet(tmp_path / str(n_rows), 4, n_rows)))
    assert 0 < came[1] < 1.5 * came[0]  # a pass more, at most
    assert came[1] < 15_000 * 7 * 8 / 10


def test_the_scheduler_does_as_much_for_many_pieces_as_for_few(tmp_path):
    steps = []
    with threads_as_workers(2) as client, learnt.cluster(client):
        for n_pieces in (8, 40):
            (tmp_path / str(n_pieces)).mkdir()
            source = learnt.scan(parquet(tmp_path / str(n_pieces), n_pieces), "y")
            assert source.schema
            before = client.cluster.scheduler.transition_counter
            learnt.LinearRegression().fit(source)
            steps.append(client.cluster.scheduler.transition_counter - before)
    assert steps[1] < 1.2 * steps[0]


def test_a_large_file_is_cut_at_its_row_groups(small_cluster, tmp_path, monkeypatch):
    monkeypatch.setattr("learnt.data.files.pieces.PIECE_ROWS", 500)
    frame().to_parquet(tmp_path / "all.parquet", row_group_size=200)
    with learnt.cluster(small_cluster):
        source = learnt.scan(tmp_path / "all.parquet", "y")
        assert [piece.n_rows for piece in source.pieces()] == [600] * 17 + [300]
        together = learnt.LinearRegression().fit(source)
    assert_same(together, learnt.LinearRegression().fit(learnt.scan(tmp_path / "all.parquet", "y")))


def test_text_files_are_read_and_understood_by_workers(small_cluster, tmp_path):
    rows = frame(600)
    rows.iloc[:300].to_csv(tmp_path / "0.csv", index=False)
    rows.iloc[300:].to_csv(tmp_path / "1.csv", index=False)
    with learnt.cluster(small_cluster):
        source = learnt.scan(tmp_path, "t")
        together = learnt.LogisticRegression().fit(source)
    alone = learnt.scan(tmp_path, "t")
    assert source.schema == alone.schema
    assert_same(together, learnt.LogisticRegression().fit(alone))


def test_a_file_that_a_worker_does_not_find_is_told_with_the_worker(small_cluster, tmp_path):
    source = learnt.scan(parquet(tmp_path, 2), "y")
    with learnt.cluster(small_cluster):
        assert source.schema
        (tmp_path / "001.parquet").unlink()  # as one that only the client has
        with pytest.raises(FileError, match=r"The worker tcp://.* does not find it.*001\.parquet"):
            learnt.LinearRegression().fit(source)


def test_what_is_wrong_with_rows_is_told_with_their_numbers_over_all_files(small_cluster, tmp_path):
    rows = frame(900)
    rows.loc[700, "b"] = np.inf
    for number in range(3):
        rows.iloc[300 * number : 300 * number + 300].to_parquet(tmp_path / f"{number}.parquet")
    with learnt.cluster(small_cluster), pytest.raises(InputError, match=r"'b' has 1 infinite .*row 700\b"):
        learnt.LinearRegression().fit(learnt.scan(tmp_path, "y").with_schema(learnt.scan(tmp_path).schema.without("t")))


def test_what_no_piece_can_tell_alone_is_told(small_cluster, tmp_path):
    rows = frame(400).assign(w=0.0)
    rows.iloc[:200].to_parquet(tmp_path / "0.parquet")
    rows.iloc[200:].to_parquet(tmp_path / "1.parquet")
    with learnt.cluster(small_cluster), pytest.raises(InputError, match="sample weights are zero"):
        learnt.LinearRegression().fit(learnt.scan(tmp_path), "y", "w")
    rows.iloc[200:].assign(w=1.0).to_parquet(tmp_path / "1.parquet")  # and one whose rows do not count does no harm
    with learnt.cluster(small_cluster):
        together = learnt.LinearRegression().fit(learnt.scan(tmp_path), "y", "w")
    assert_same(together, learnt.LinearRegression().fit(learnt.scan(tmp_path), "y", "w"))


def test_a_learner_that_needs_all_rows_says_so(small_cluster, folder):
    with (
        learnt.cluster(small_cluster),
        pytest.raises(InputError, match=r"a scan on a cluster\. It answers from.*or fit GradientBoostingClass"),
    ):
        learnt.KNeighborsClassifier().fit(learnt.scan(folder), "t")


def test_a_fit_leaves_nothing_behind(small_cluster, folder):
    with learnt.cluster(small_cluster):
        fitted("boosting", learnt.scan(folder))
    assert sessions(small_cluster) == 0
    assert not small_cluster.futures


def test_a_fit_that_fails_leaves_nothing_behind(small_cluster, folder, monkeypatch):
    def broken(*_):
        raise InputError("as if")

    monkeypatch.setattr("learnt.cluster.kmeans.learner.KMeans._by_rounds", broken)
    with learnt.cluster(small_cluster), pytest.raises(InputError, match="as if"):
        fitted("k-means", learnt.scan(folder))
    assert sessions(small_cluster) == 0


def sessions(client) -> int:
    from learnt.engine.cluster.session import open_sessions

    return sum(client.run(open_sessions).values())


def test_whoever_watches_sees_the_rows_of_each_pass(small_cluster, folder):
    with learnt.cluster(small_cluster), learnt.watch() as log:
        fitted("k-means", learnt.scan(folder))
    rows = [step.iteration for step in log if step.facts.get("unit") == "rows"]
    assert max(rows) == N_ROWS
    assert {step.learner for step in log} == {"KMeans"}


def test_a_pass_that_takes_long_tells_how_far_it_is(folder, monkeypatch):
    monkeypatch.setattr("learnt.engine.cluster.session.TOLD_EVERY", -1.0)
    monkeypatch.setattr("learnt.engine.cluster.tasks.LOOK", 0.0)
    monkeypatch.setattr("learnt.engine.cluster.kept_rows.KeptRows.batches", slowly(KeptRows.batches))
    with threads_as_workers(1) as client, learnt.cluster(client), learnt.watch() as log:
        fitted("least squares", learnt.scan(folder))
    rows = [step.iteration for step in log if step.facts.get("unit") == "rows"]
    assert any(0 < count < N_ROWS for count in rows)
    assert rows[-1] == N_ROWS


def slowly(batches):
    def one_by_one(self):
        for batch in batches(self):
            time.sleep(0.03)
            yield batch

    return one_by_one


def test_describing_a_scan_is_done_by_workers_too(small_cluster, folder):
    with learnt.cluster(small_cluster):
        together = learnt.describe(learnt.scan(folder))
    alone = learnt.describe(learnt.scan(folder))
    assert str(together) == str(alone)


def test_rows_are_gathered_at_the_client_only_where_they_are_few(small_cluster, folder, monkeypatch):
    with learnt.cluster(small_cluster):
        together = learnt.SGDClassifier(random_state=0, max_iter=1).fit(learnt.scan(folder), "t")
        monkeypatch.setattr("learnt.engine.cluster.engine.MOST_GATHERED", 7 * N_ROWS - 1)
        with pytest.raises(InputError, match=r"more than the client should hold.*GradientBoostingClassifier"):
            learnt.SGDClassifier().fit(learnt.scan(folder), "t")
        with pytest.raises(InputError, match=r"more than the client should hold.*GradientBoostingRegressor"):
            learnt.SVR().fit(learnt.scan(folder), "y")
    assert_same(together, learnt.SGDClassifier(random_state=0, max_iter=1).fit(learnt.scan(folder), "t"))
