"""One small Dask cluster for all tests of a process: two workers, each a process of one thread."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def small_cluster() -> Iterator[Any]:
    """A client of it. Tests that kill workers make clusters of their own."""
    distributed = pytest.importorskip("distributed", reason="a cluster needs distributed")
    with cluster_of(2) as cluster, distributed.Client(cluster, set_as_default=False) as client:
        yield client


def cluster_of(n_workers: int, **settings: Any) -> Any:
    """Workers that are processes of one thread, and say nothing of what they do."""
    import dask
    from distributed import LocalCluster

    # A worker that is not there at the end of this time, counted from when it was once killed, is given up for good.
    dask.config.set({"distributed.deploy.lost-worker-timeout": "1h"})
    told = {"threads_per_worker": 1, "processes": True, "dashboard_address": ":0", **settings}
    return LocalCluster(n_workers=n_workers, silence_logs=logging.CRITICAL, **told)
