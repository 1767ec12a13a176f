"""Learners that need all rows in memory: what they get, and how a scan is refused."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array

import learnt
from learnt.engine.engines import run
from learnt.engine.training import prepare
from learnt.engine.whole import InMemory, TakeWhole, WholeTable, uneven
from learnt.errors import InputError
from learnt.learner.base import Regressor
from learnt.linear.several.retarget import retargeted

X = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])


class _Middle(Regressor):
    """The median of the target, which needs sorting."""

    whole = InMemory("sorts the target", "ask for the mean")

    middle_: float

    def _learn(self, rows: WholeTable) -> None:
        self.middle_ = float(np.median(rows.of_positive_weight().target))

    def _predict(self, table):
        return np.full(table.n_rows, self.middle_)


def whole(x, y=(1, 2, 3), weights=None) -> WholeTable:
    (batch,) = prepare(x, np.array(y), weights, "numbers", "It").batches()
    return WholeTable.of(batch)


def test_a_learner_of_all_rows_writes_one_hook() -> None:
    assert _Middle().fit(X, [5.0, 1.0, 2.0]).predict(X).tolist() == [2, 2, 2]
    assert _Middle().fit(X, [5.0, 1.0, 2.0], [1, 0, 1]).middle_ == 3.5


def test_a_scan_is_refused_with_the_reason_and_the_way_out(tmp_path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("a,y\n1,2\n3,4\n")
    with pytest.raises(InputError) as caught:
        _Middle().fit(learnt.scan(path), "y")
    assert str(caught.value) == (
        "_Middle was given a scan. It sorts the target, so all rows must be in memory. "
        "Read the files, or a part of them, into a table by learnt.read, or ask for the mean."
    )


def test_a_plan_that_did_not_refuse_a_scan_cannot_have_its_rows_at_once() -> None:
    def plan():
        yield TakeWhole()

    (batch,) = prepare(X, np.arange(3.0), None, "numbers", "It").batches()
    stream = SimpleNamespace(in_memory=False, n_rows=3, batches=lambda: iter([batch]))
    with pytest.raises(TypeError, match="_Middle asks for all rows of a stream"):
        run(plan(), stream, "_Middle")


def test_all_rows_of_a_plan_for_one_class_have_the_target_of_that_class() -> None:
    def plan():
        return (yield TakeWhole())

    training = prepare(X, np.array(["a", "b", "c"]), None, "classes", "It")
    rows = run(retargeted(plan(), np.array([0, 1, 0], np.int32)), training)
    assert rows.target.tolist() == [0, 1, 0]


def test_rows_without_weight_are_left_out_and_the_others_keep_their_numbers() -> None:
    rows = whole(X, weights=[2, 0, 1]).of_positive_weight()
    assert rows.table.matrix.tolist() == [[0, 1], [4, 5]]
    assert (rows.target.tolist(), rows.weights.tolist(), rows.numbers.tolist()) == ([1, 3], [2, 1], [0, 2])
    assert rows.rows == rows.batch.n_rows == 2


def test_weights_that_are_all_one_are_none() -> None:
    assert whole(X, weights=[1, 1, 1]).uneven_weights is None
    assert whole(X, weights=[0, 1, 1]).uneven_weights.tolist() == [0, 1, 1]
    assert whole(X, weights=[0, 1, 1]).of_positive_weight().uneven_weights is None
    assert uneven(None) is None


def test_sparse_rows_are_unpacked_on_demand() -> None:
    rows = whole(csr_array(X))
    assert rows.table.sparse is not None
    assert rows.unpacked().table.sparse is None
    np.testing.assert_array_equal(rows.unpacked().table.columns[1].values, X[:, 1])


def test_what_goes_through_a_scan_on_one_machine_refuses_a_cluster(tmp_path):
    import learnt
    from learnt.data.workers import working
    from learnt.engine.whole import OneMachine

    class Elsewhere:
        def each(self, function, pieces):
            raise NotImplementedError

        def engine(self, source, learner):
            raise NotImplementedError

    (tmp_path / "a.csv").write_text("x\n1\n")
    scan, alone = learnt.scan(tmp_path / "a.csv"), OneMachine("sorts")
    alone.check(scan, "It")
    with working(Elsewhere()), pytest.raises(InputError, match=r"given a scan on a cluster\. It sorts, which workers"):
        alone.check(scan, "Sorter")
