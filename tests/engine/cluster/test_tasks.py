"""A scheduler that holds its connection and answers nothing, as when its machine was switched off."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from learnt.engine.cluster import tasks
from learnt.engine.cluster.tasks import Tasks
from learnt.errors import ClusterError


class Mute:
    """A client that believes to be connected."""

    status = "running"
    scheduler = SimpleNamespace(address="tcp://there", ncores=None)

    def __init__(self):
        self.asked = 0

    def sync(self, *_, **__):
        self.asked += 1
        raise TimeoutError

    def cancel(self, *_, **__):
        raise AssertionError("nobody hears it")

    run = cancel


def test_a_scheduler_that_was_given_up_is_asked_nothing_more(monkeypatch):
    """Each question would take seconds, and the error is to come within half a minute."""
    monkeypatch.setattr(tasks, "PATIENCE", 0.0)
    monkeypatch.setattr(tasks, "LOOK", 0.0)
    monkeypatch.setattr(tasks, "_briefly", lambda ask: ask())
    client = Mute()
    found = Tasks(client)
    with pytest.raises(ClusterError, match="tcp://there is gone"):
        found.threads()
    asked = client.asked
    found.cancel([SimpleNamespace(key="task")])
    found.everywhere(print)
    found.close()
    with pytest.raises(ClusterError, match="is gone"):
        found.some_workers()
    assert client.asked == asked
    assert not found.reachable()


def test_a_process_that_was_stopped_for_a_while_asks_again_before_it_gives_up(monkeypatch):
    """A debugger, a laptop that slept: the hours passed here, and not while the scheduler was asked."""
    hours = iter(range(0, 100_000, 10_000))
    monkeypatch.setattr(tasks.time, "monotonic", lambda: next(hours))
    monkeypatch.setattr(tasks.time, "sleep", lambda seconds: None)
    client = Mute()
    with pytest.raises(ClusterError, match="is gone"):
        Tasks(client).threads(now=True)
    assert client.asked >= tasks.PATIENCE / (tasks.ANSWER + tasks.LOOK)
