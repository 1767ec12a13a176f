"""Ratings larger than memory: in blocks on disk, and the same model as in memory."""

import os
import tempfile

import numpy as np
import pandas as pd
import pytest
from tests.recommendation.rating_box import planted

import learnt
from learnt import MatrixFactorization
from learnt.recommendation import blocks

ROWS, _ = planted(80, 30)


@pytest.fixture
def file(tmp_path):
    frame = pd.DataFrame(ROWS).sample(frac=1, random_state=0)
    frame["rating"] = frame["rating"].round(3)
    frame["weight"] = np.arange(len(frame)) % 3
    frame["item"] = [f"i{i}" for i in frame["item"]]
    frame.loc[frame.index[5], "rating"] = None
    frame.to_csv(tmp_path / "ratings.csv", index=False)
    return tmp_path / "ratings.csv"


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("settings", [{}, {"feedback": "implicit"}, {"nonnegative": True}], ids=str)
def test_a_scan_gives_the_model_of_the_table(file, monkeypatch, settings):
    monkeypatch.setattr(blocks, "MOST_RATINGS", 100)
    table = learnt.read(file)
    wanted = MatrixFactorization(3, precision="double", max_iter=5, **settings).fit(table)
    model = MatrixFactorization(3, precision="double", max_iter=5, **settings).fit(learnt.scan(file, batch_rows=97))
    assert model.users_.tolist() == wanted.users_.tolist()
    assert model.n_left_out_ == 1
    np.testing.assert_allclose(model.predict(table), wanted.predict(table), rtol=1e-9)
    np.testing.assert_allclose(model.predict(learnt.scan(file)), wanted.predict(table), rtol=1e-9)
    assert model._history is None
    kept = MatrixFactorization(3, precision="double", max_iter=5, keep_ratings=True, **settings).fit(learnt.scan(file))
    assert kept.recommend(3, 4).items == wanted.recommend(3, 4).items


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_descent_reads_blocks_too(file, monkeypatch):
    monkeypatch.setattr(blocks, "MOST_RATINGS", 300)
    model = MatrixFactorization(2, solver="sgd", max_iter=20).fit(learnt.scan(file, batch_rows=200))
    assert (np.diff(model.objectives_) <= 0).all()
    assert model.score(learnt.read(file)) > 0.5


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_nothing_is_left_behind_even_after_an_error(file, monkeypatch, tmp_path):
    place = tmp_path / "scratch"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    MatrixFactorization(2, max_iter=2).fit(learnt.scan(file))
    assert os.listdir(place) == []

    def broken(*_):
        raise RuntimeError("broken")

    monkeypatch.setattr("learnt.recommendation.learner.alternate", broken)
    with pytest.raises(RuntimeError):
        MatrixFactorization(2).fit(learnt.scan(file))
    assert os.listdir(place) == []


def test_blocks_hold_at_most_so_many_ratings_unless_one_row_has_more(monkeypatch):
    monkeypatch.setattr(blocks, "MOST_RATINGS", 10)
    assert blocks.cut_rows(np.array([4, 4, 4, 30, 1, 9, 1])).tolist() == [0, 2, 3, 4, 6, 7]
    assert blocks.cut_rows(np.array([3])).tolist() == [0, 1]
