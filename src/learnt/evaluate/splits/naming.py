"""What a way of cutting rows is called, where results tell how they came about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from learnt.learner.parameters import Whole
from learnt.show.words import count_of

#: By class: of splitters of learnt and of scikit-learn, which share their names.
_IN_ORDER = frozenset({"TimeSeriesSplit"})
_LEAVE_OUT = {"LeaveOneOut": "row", "LeaveOneGroupOut": "group"}
_REPEATED = frozenset({"RepeatedKFold", "RepeatedStratifiedKFold"})
_FOLDS = frozenset({"KFold", "StratifiedKFold", "GroupKFold", "StratifiedGroupKFold"})
_RANDOM = frozenset({"ShuffleSplit", "StratifiedShuffleSplit", "GroupShuffleSplit", "BaseShuffleSplit"})


@dataclass(frozen=True)
class Splitting:
    """In words; and whether every split tests rows that come after those it trains on.

    >>> from learnt.evaluate.splits import TimeSeriesSplit
    >>> Splitting.of(10, 10, 3).words
    '10-fold cross-validation, repeated 3 times'
    >>> Splitting.of(TimeSeriesSplit(5), 5)
    Splitting(words='5 time-ordered splits', in_order=True)
    """

    words: str
    in_order: bool = False

    @classmethod
    def of(cls, cv: Any, n_splits: int, repeats: int = 1) -> Splitting:
        """`cv` is a number of folds or a splitter, which gives `n_splits` in each of the repeats."""
        if cv in Whole():
            return cls(_fold_words(n_splits, repeats))
        names = {kind.__name__ for kind in type(cv).__mro__}
        if names & _IN_ORDER:
            return cls(f"{n_splits} time-ordered {'split' if n_splits == 1 else 'splits'}", True)
        left_out = [what for name, what in _LEAVE_OUT.items() if name in names]
        if left_out:
            return cls(f"cross-validation that leaves out one {left_out[0]} at a time")
        if names & _REPEATED:
            times = int(getattr(cv, "n_repeats", 1))
            return cls(_fold_words(n_splits // times, times))
        if names & _FOLDS:
            return cls(_fold_words(n_splits, 1))
        if names & _RANDOM:
            return cls(f"{n_splits} random {'split' if n_splits == 1 else 'splits'}")
        return cls(f"{count_of(n_splits, 'split')} of {type(cv).__name__}")


def _fold_words(folds: int, repeats: int) -> str:
    return f"{folds}-fold cross-validation" + (f", repeated {repeats} times" if repeats > 1 else "")
