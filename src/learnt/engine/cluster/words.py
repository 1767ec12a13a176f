"""What a worker says of an error: it is read at the client, where the same words may mean something else."""

from __future__ import annotations

from learnt.engine.cluster.machine import Machine
from learnt.errors import FileError, LearntError


def told_at_client(error: LearntError) -> LearntError:
    """An error of a task, as the client is to raise it. A file that a worker does not find may well be there."""
    machine, reason = Machine.this(), error.__cause__
    if not machine.own_process or not isinstance(reason, FileNotFoundError | PermissionError):
        return error
    what = "does not find it" if isinstance(reason, FileNotFoundError) else "may not read it"
    return FileError(
        f"The worker {machine.name} {what}. Workers read files themselves, by the path they have at the client. "
        "Put them where all workers find them.",
        error.file if isinstance(error, FileError) else str(reason.filename),
    )
