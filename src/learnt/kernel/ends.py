"""How the fit of machines ended, as a file tells it."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.errors import SavedModelError


def check_ends(*ends: Any, count: int | None = None) -> None:
    """Raise unless each is a number, or an array with one for each machine; `count` is how many, if that is known."""
    given = [np.asarray(end) for end in ends]
    shapes = {end.shape for end in given}
    wrong = len(shapes) > 1 or any(end.ndim > 1 or end.dtype.kind not in "fi" for end in given)
    if wrong or (count is not None and given[0].size != count):
        raise SavedModelError("What is kept of the end of the fit is not one number for each machine.")
