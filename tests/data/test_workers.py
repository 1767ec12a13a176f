"""Who works on pieces: this process unless others were asked."""

from __future__ import annotations

import threading

from learnt.data.workers import current_workers, each, working


class Backwards:
    """Workers who take the last piece first."""

    def each(self, function, pieces):
        return [function(piece) for piece in reversed(pieces)][::-1]

    def engine(self, source, learner):
        raise NotImplementedError


def test_results_come_in_the_order_of_the_pieces():
    assert each(None, str, [3, 1, 2]) == each(Backwards(), str, [3, 1, 2]) == ["3", "1", "2"]


def test_workers_are_asked_inside_and_not_after():
    workers = Backwards()
    with working(workers):
        assert current_workers() is workers
        with working(None):
            assert current_workers() is None
    assert current_workers() is None


def test_another_thread_has_its_own():
    seen = []
    with working(Backwards()):
        thread = threading.Thread(target=lambda: seen.append(current_workers()))
        thread.start()
        thread.join()
    assert seen == [None]
