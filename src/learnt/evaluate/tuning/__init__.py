"""Choosing settings by cross-validation, and judging the choice on rows that took no part in it."""

from typing import TYPE_CHECKING

from learnt.lazy import attach

if TYPE_CHECKING:  # what the lazy names below are, for type checkers and editors
    from learnt.evaluate.tuning.entry import tune
    from learnt.evaluate.tuning.tuned import Tuned
    from learnt.evaluate.tuning.tuning import Tuning

_HOMES = {
    "Tuned": "learnt.evaluate.tuning.tuned",
    "Tuning": "learnt.evaluate.tuning.tuning",
    "tune": "learnt.evaluate.tuning.entry",
}

__all__ = ["Tuned", "Tuning", "tune"]

__getattr__, __dir__ = attach(__name__, _HOMES, __all__)
