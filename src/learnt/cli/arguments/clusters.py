"""`--cluster ADDRESS`: the workers of a Dask cluster do the work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from learnt.engine.cluster.context import cluster
from learnt.errors import ClusterError
from learnt.lazy import optional_package

#: Seconds a scheduler has to answer.
PATIENCE = 10

ClusterAddress = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="The scheduler of a Dask cluster whose workers do the work, such as tcp://10.0.0.1:8786; they find files "
        "by the path given here.",
    ),
]


@contextmanager
def at_cluster(address: str | None) -> Iterator[Any]:
    """A client of the cluster, whose workers work on scans inside; None where no address was given."""
    if address is None:
        yield None
        return
    distributed = optional_package("distributed")
    try:
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"No scheduler answers at {address!r}. Expected the address that 'dask scheduler' tells when it starts, "
            "such as tcp://10.0.0.1:8786. Start one, or correct the address."
        ) from error
    with client, cluster(client):
        yield client
