"""What `with` opens is closed at its end, however it ends."""

from __future__ import annotations

import pytest

from learnt.evaluate.closing import Closing


class Held(Closing):
    closed = 0

    def close(self) -> None:
        self.closed += 1


def test_closed_at_the_end_and_errors_pass():
    with Held() as held:
        assert held.closed == 0
    assert held.closed == 1
    with pytest.raises(ZeroDivisionError), held:
        1 / 0
    assert held.closed == 2
