"""Disks that are full or read-only, users with few rights, processes that are killed at a given step."""

from __future__ import annotations

import os
import pickle
import resource
import signal
import subprocess
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

SMALL = 64 * 1024  # bytes of the disk that gets full
LIMIT = 2048  # bytes of the largest file, where no disk can be mounted


@contextmanager
def small_disk(folder: Path, *options: str) -> Iterator[Path]:
    """A file system of its own, of 64 kB. Skips the test where mounting is not allowed."""
    folder.mkdir(exist_ok=True)
    mounted = ["mount", "-t", "tmpfs", "-o", ",".join([f"size={SMALL}", *options]), "none", str(folder)]
    try:
        done = subprocess.run(mounted, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        done = False
    if not done:
        pytest.skip("mounting is not allowed here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder: Path) -> None:
    """Until not one byte more goes onto the disk of the folder."""
    with (folder / "filling").open("wb", buffering=0) as file:
        size = 4096
        while size:
            try:
                file.write(bytes(size))
            except OSError:
                size //= 2


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """No file of this process and those it starts grows beyond `size`: a full disk for whoever is not root."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def in_a_fork(work: Callable[[], Any], *, user: int | None = None) -> Any:
    """What `work` gives or raises in a copy of this process, under another user if one is given."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if user is not None:
                os.setgroups([])
                os.setgid(user)
                os.setuid(user)
            try:
                answer = (True, work())
            except Exception as error:
                answer = (False, error)
            with os.fdopen(write, "wb") as out:
                out.write(pickle.dumps(answer))
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as source:
        content = source.read()
    os.waitpid(child, 0)
    assert content, "the child has died"
    well, answer = pickle.loads(content)
    if not well:
        raise answer
    return answer


def as_nobody(work: Callable[[], Any]) -> Any:
    """As a user who is not root: root may write everywhere."""
    return in_a_fork(work, user=65534) if os.geteuid() == 0 else work()


#: The steps of a file on its way to its place, as (module, name).
STEPS = [("os", "open"), ("os", "fsync"), ("os", "replace"), ("os", "fchmod"), ("learnt.whole_file._Checked", "write")]


def killed_at(step: int, work: Callable[[], Any]) -> bool:
    """Run `work` in a copy of this process that is killed, kill -9, before its step of that number, counted from 0.

    Whether it was: False says that there are no more steps.
    """
    child = os.fork()
    if child == 0:
        try:
            _die_at(step)
            nowhere = os.open(os.devnull, os.O_RDWR)
            for place in (1, 2):
                os.dup2(nowhere, place)
            work()
        except BaseException:
            os._exit(3)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) in (0, -signal.SIGKILL), "it ended by an error of its own"
    return os.WIFSIGNALED(status)


def _die_at(step: int) -> None:
    import learnt.whole_file

    taken = 0

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **settings: Any) -> Any:
            nonlocal taken
            if taken == step:
                os.kill(os.getpid(), signal.SIGKILL)
            taken += 1
            return function(*args, **settings)

        return run

    places = {"os": os, "learnt.whole_file._Checked": learnt.whole_file._Checked}
    for where, name in STEPS:
        setattr(places[where], name, counted(getattr(places[where], name)))
