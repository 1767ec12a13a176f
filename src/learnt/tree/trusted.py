"""Arrays that fit together by construction: what kernels return, and what is made from checked arrays.

Arrays from a file or a user go through a constructor, which checks them. To check them again in every round of an
ensemble would cost more than the rounds of a small table.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")


def trusted(cls: type[T], fields: dict[str, Any], types: dict[str, tuple[type, int]]) -> T:
    """An instance with these arrays, in the types of its fields and read-only, without a further look at them."""
    made = object.__new__(cls)
    kept: dict[str, Any] = {name: np.ascontiguousarray(fields[name], dtype) for name, (dtype, _) in types.items()}
    for array in kept.values():
        array.flags.writeable = False
    made.__dict__.update(kept)
    return made


def check_overflow(nodes: T, check: Callable[[T], None]) -> None:
    """Call `check` where numbers of the nodes may be too large: that is the data's doing, whoever grew them."""
    arrays: Any = nodes
    if not math.isfinite(arrays.weight.sum() + arrays.value.sum() + arrays.impurity.sum()):
        check(nodes)
