"""Workers of a comparison as copies of the process that tests: a new Python loads everything anew, half a second of
processor time for each worker of each comparison.

For tests of what a comparison finds and says. Those of the workers themselves, of races and of the command line start
new Pythons, as users do.
"""

from __future__ import annotations

import sys

import pytest


@pytest.fixture(scope="module")
def forked_workers():
    """In use for a module that says `pytestmark = pytest.mark.usefixtures("forked_workers")`."""
    if sys.platform != "linux":
        yield
        return
    from learnt.evaluate.workers import workers
    from learnt.evaluate.workers.processes import Fork

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers, "Program", lambda folder, words: Fork(None, folder, words))
        yield
