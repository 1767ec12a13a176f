"""Statistics add: in any grouping, the empty one included, they hold what the whole holds."""

from __future__ import annotations

import importlib
import inspect
import pickle
import pkgutil
from collections.abc import Iterator
from dataclasses import fields
from itertools import pairwise

import numpy as np
import pytest
from tests.laws.examples import PASSES, N, batch

import learnt
from learnt.data.schema import Schema
from learnt.data.table import Table
from learnt.engine.passes import Statistic
from learnt.ensemble.forest.growth import CodedRows
from learnt.kernel.linear.held_out import HeldOut
from learnt.linear.gathered_rows import Rows
from learnt.linear.least_squares.triangle import Triangle
from learnt.neural.streaming import FewRows
from learnt.statistics.products import Products
from learnt.statistics.sums import Sums
from learnt.statistics.triangle import RowTriangle

NAMES = list(PASSES)
CUTS = [0, 1, N // 2, N - 1, N]


def taken(name: str, start: int, stop: int, *, weights: bool = True) -> Statistic:
    make, target = PASSES[name]
    return make()(batch(target=target, weights=weights).rows(start, stop), None)[0]


def parts(statistic: Statistic) -> dict:
    """What a statistic says, as arrays; of a triangle its cross products, since signs are free."""
    if isinstance(statistic, Triangle):
        return {"rows": statistic.rows, "weight": statistic.weight, "gram": statistic.r.T @ statistic.r}
    if isinstance(statistic, RowTriangle):
        return {"rows": statistic.rows, "gram": statistic.r.T @ statistic.r}
    if isinstance(statistic, Rows | CodedRows):  # in how many blocks they came does not matter
        x, y, w = statistic.joined()
        return {"x": x, "y": y} | ({} if w is None else {"w": w})
    if isinstance(statistic, HeldOut):  # rows stand fold by fold
        order = np.lexsort((statistic.weights, statistic.codes, statistic.scores[:, 0]))
        return {name: getattr(statistic, name)[order] for name in ("scores", "codes", "weights")}
    if isinstance(statistic, FewRows):
        whole = statistic.whole()
        rows = {} if whole is None else {"table": whole.table, "y": whole.target}
        return dict(flat("", {"rows": statistic.rows, "sample": statistic.sample} | rows))
    return dict(flat("", {f.name: getattr(statistic, f.name) for f in fields(statistic)}))


def flat(name: str, value) -> Iterator[tuple[str, object]]:
    """Statistics within a statistic, and tuples, one by one."""
    if isinstance(value, Statistic):
        yield from flat(name, parts(value))
    elif isinstance(value, dict):
        yield from (pair for key, v in value.items() for pair in flat(f"{name} {key}", v))
    elif isinstance(value, tuple):
        yield from flat(name, dict(enumerate(value)))
    else:
        yield name, value


def assert_alike(one: Statistic, other: Statistic) -> None:
    left, right = parts(one), parts(other)
    assert left.keys() == right.keys()
    for name, value in left.items():
        if isinstance(value, Schema) or value is None:
            assert value == right[name]
        elif isinstance(value, Table):
            assert value.to_dict() == right[name].to_dict()
        else:
            np.testing.assert_allclose(spread(value), spread(right[name]), rtol=1e-9, atol=1e-6, err_msg=name)


def spread(value):
    return value.toarray() if hasattr(value, "toarray") else value


@pytest.mark.parametrize("weights", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_two_shards_add_up_to_the_whole(name: str, weights: bool) -> None:
    whole = taken(name, 0, N, weights=weights)
    for cut in CUTS:
        assert_alike(taken(name, 0, cut, weights=weights) + taken(name, cut, N, weights=weights), whole)


@pytest.mark.parametrize("name", NAMES)
def test_the_grouping_of_shards_does_not_matter(name: str) -> None:
    bounds = [0, 0, 1, 7, 7, 31, N, N]
    shards = [taken(name, a, b) for a, b in pairwise(bounds)]
    from_left = shards[0]
    for shard in shards[1:]:
        from_left = from_left + shard
    from_right = shards[-1]
    for shard in reversed(shards[:-1]):
        from_right = shard + from_right
    assert_alike(from_left, taken(name, 0, N))
    assert_alike(from_right, taken(name, 0, N))


@pytest.mark.parametrize("name", NAMES)
def test_the_empty_statistic_changes_nothing(name: str) -> None:
    empty, some = taken(name, 5, 5), taken(name, 5, 25)
    assert not empty
    assert some
    assert empty + some is some
    assert some + empty is some
    assert not empty + empty


@pytest.mark.parametrize("name", NAMES)
def test_a_shard_of_weight_zero_adds_only_its_rows(name: str) -> None:
    make, target = PASSES[name]
    whole = batch(target=target)
    silent = type(whole)(whole.table, whole.first_row, whole.target, np.where(np.arange(N) < 20, 0.0, 1.0))
    first, rest = make()(silent.rows(0, 20), None)[0], make()(silent.rows(20, N), None)[0]
    assert_alike(first + rest, make()(silent, None)[0])


@pytest.mark.parametrize("name", NAMES)
def test_adding_changes_neither_side(name: str) -> None:
    one, two = taken(name, 0, 30), taken(name, 30, N)
    before = pickle.dumps((one, two))
    _ = one + two, two + one
    assert pickle.dumps((one, two)) == before


@pytest.mark.parametrize("name", NAMES)
def test_statistics_of_different_kinds_do_not_add(name: str) -> None:
    other = next(n for n in NAMES if type(taken(n, 0, 9)) is not type(taken(name, 0, 9)))
    with pytest.raises(TypeError, match="Cannot add"):
        taken(name, 0, 9) + taken(other, 0, 9)


def test_statistics_of_different_shapes_do_not_add() -> None:
    from learnt.statistics.counts import ClassWeights

    with pytest.raises(ValueError, match="shapes"):
        ClassWeights(2, np.ones(2)) + ClassWeights(3, np.ones(3))


@pytest.mark.parametrize("name", NAMES)
def test_passes_and_statistics_pickle_small(name: str) -> None:
    request = PASSES[name][0]()
    assert len(pickle.dumps(request)) < 10_000
    assert len(pickle.dumps(taken(name, 0, N))) < 10_000


@pytest.mark.parametrize("name", NAMES)
def test_a_pickled_pass_makes_the_same_statistic(name: str) -> None:
    make, target = PASSES[name]
    there = pickle.loads(pickle.dumps(make()))(batch(target=target), None)[0]
    assert_alike(pickle.loads(pickle.dumps(there)), taken(name, 0, N))


def test_every_statistic_of_the_package_is_tested_here() -> None:
    for module in pkgutil.walk_packages(learnt.__path__, "learnt."):
        if module.name != "learnt.__main__":  # which would run the program
            importlib.import_module(module.name)

    def below(cls):
        return {c for child in cls.__subclasses__() for c in (child, *below(child))}

    statistics = {c for c in below(Statistic) if c.__module__.startswith("learnt.")} - {Products, Sums}  # bases
    assert not {c for c in statistics if inspect.isabstract(c)}, "cannot be added"
    assert statistics == {type(taken(name, 0, 9)) for name in NAMES}
