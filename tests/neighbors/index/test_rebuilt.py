"""Indexes are stored without their compiled part, which is built from the rest when they come back."""

import copy
import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array

import learnt
from learnt.neighbors.index.rebuilt import Rebuilt


class Doubles(Rebuilt):
    built = "twice"

    def __init__(self, numbers):
        self.numbers = numbers
        self.builds = 0
        self._build()

    def _build(self):
        self.builds += 1
        self.twice = [2 * number for number in self.numbers]


@pytest.mark.parametrize("move", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_what_is_built_is_built_again_and_not_moved(move):
    before = Doubles([1, 2])
    assert "twice" not in before.__getstate__()
    before.twice = "would be moved if it were stored"
    after = move(before)
    assert (after.twice, after.builds) == ([2, 4], 2)


ROWS = np.random.default_rng(0).normal(size=(300, 3))
MIXED = {"size": ROWS[:, 0], "town": [f"town {i % 7}" for i in range(300)]}


@pytest.mark.parametrize(("rows", "index"), [(ROWS, "kd_tree"), (csr_array(ROWS), "auto"), (MIXED, "auto")])
def test_a_pickled_model_finds_the_same_neighbours(rows, index):
    model = learnt.KNeighborsClassifier(n_neighbors=3, index=index).fit(rows, ROWS[:, 0] > 0)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(rows), model.predict_proba(rows))
