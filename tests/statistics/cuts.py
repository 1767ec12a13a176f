"""Rows cut into parts: whatever the cuts, the sums of the parts are the sum of the whole."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from itertools import pairwise
from operator import add
from typing import Any

N = 60
CUTS = [(0, N), (0, 0, N), (0, 1, 30, N), (0, 7, 7, 8, N - 1, N, N)]


def added(of_rows: Callable[[slice], Any], cuts: tuple[int, ...], *, from_right: bool = False) -> Any:
    """What `of_rows` says of each part, added from the left or from the right."""
    parts = [of_rows(slice(a, b)) for a, b in pairwise(cuts)]
    return reduce(lambda total, part: part + total, reversed(parts)) if from_right else reduce(add, parts)
