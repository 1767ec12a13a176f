"""The learnt that workers have: what they are sent names its functions and classes, and must find them there."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from weakref import WeakKeyDictionary

from learnt.errors import ClusterError

#: Seconds that workers have to say it. One that does not is taken on trust.
ANSWER = 10.0

_checked: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()  # addresses, by client


def version_here() -> str:
    """Asked of workers. One without learnt cannot even read the question."""
    import learnt

    return learnt.__version__


def check_versions(client: Any, addresses: Collection[str]) -> None:
    """Raise if a worker that was not there before has no learnt, or another one. A task would end such a worker, and
    then the next one."""
    known = _checked.setdefault(client, set())
    known &= set(addresses)
    new = [address for address in addresses if address not in known]
    if not new:
        return
    try:
        found = client.sync(client._run, version_here, workers=new, on_error="return", callback_timeout=ANSWER)
    except (OSError, TimeoutError):  # the scheduler is busy, or gone, as the next look will tell
        return
    for address in new:
        version = found.get(address)
        if isinstance(version, Exception) and "learnt" in str(version):
            raise ClusterError(
                f"The worker {address} cannot load learnt: {version}. Workers need the learnt that is here, "
                f"{version_here()}: pip install 'learnt[dask]=={version_here()}' there, and start it again."
            )
        if isinstance(version, str) and version != version_here():
            raise ClusterError(
                f"The worker {address} has learnt {version}, and here is {version_here()}. Both must be the same. "
                "Install one of them in both places, and start the worker again."
            )
    known.update(new)
