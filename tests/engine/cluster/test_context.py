"""`learnt.cluster`: a family of learners, and a context."""

from __future__ import annotations

import asyncio

import pytest

import learnt
from learnt.data.workers import current_workers
from learnt.engine.cluster.context import workers_or_default
from learnt.errors import InputError, KindError

distributed = pytest.importorskip("distributed", reason="a cluster needs distributed")

pytestmark = [pytest.mark.timeout(300), pytest.mark.xdist_group("cluster")]


def test_the_family_of_clusterers_can_be_called():
    assert learnt.cluster.KMeans is learnt.KMeans
    with pytest.raises(KindError, match="A client of Dask was expected"), learnt.cluster("tcp://here"):
        pass


def test_scans_are_for_the_workers_inside_only(small_cluster):
    with learnt.cluster(small_cluster) as workers:
        assert current_workers() is workers
        assert workers_or_default() is workers
    assert current_workers() is None


def test_a_client_that_is_asynchronous_is_refused(small_cluster):
    async def enter():
        address = small_cluster.scheduler.address
        async with distributed.Client(address, asynchronous=True, set_as_default=False) as client:
            with learnt.cluster(client):
                pass

    with pytest.raises(KindError, match="asynchronous"):
        asyncio.run(enter())


def test_results_of_workers_come_in_order_and_their_errors_as_they_are(small_cluster):
    with learnt.cluster(small_cluster) as workers:
        assert workers.each(len, ["a" * n for n in range(30)]) == list(range(30))
        assert workers.each(len, []) == []
        with pytest.raises(InputError, match="as if"):
            workers.each(refuse, [1])
        with pytest.raises(ZeroDivisionError):
            workers.each((1).__floordiv__, [1, 0])


def refuse(_):
    raise InputError("as if")
