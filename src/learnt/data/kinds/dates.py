"""Columns of dates, times and durations."""

from __future__ import annotations

from learnt.data.kinds.decision import Decision
from learnt.data.kinds.seen import Seen


def as_date(seen: Seen, *, said: bool = False) -> Decision | None:
    return None
