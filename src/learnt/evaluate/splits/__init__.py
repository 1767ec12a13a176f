"""Ways to cut rows into parts to train on and parts to test on."""

from learnt.evaluate.splits.grouped import GroupKFold, LeaveOneGroupOut, StratifiedGroupKFold
from learnt.evaluate.splits.k_folds import KFold, LeaveOneOut, RepeatedKFold, RepeatedStratifiedKFold, StratifiedKFold
from learnt.evaluate.splits.ratings import leave_last_out, split_by_time
from learnt.evaluate.splits.shuffled import Bootstrap632, ShuffleSplit, StratifiedShuffleSplit
from learnt.evaluate.splits.time_series import TimeSeriesSplit
from learnt.evaluate.splits.train_test import train_test_split, train_validation_test_split

__all__ = [
    "Bootstrap632",
    "GroupKFold",
    "KFold",
    "LeaveOneGroupOut",
    "LeaveOneOut",
    "RepeatedKFold",
    "RepeatedStratifiedKFold",
    "ShuffleSplit",
    "StratifiedGroupKFold",
    "StratifiedKFold",
    "StratifiedShuffleSplit",
    "TimeSeriesSplit",
    "leave_last_out",
    "split_by_time",
    "train_test_split",
    "train_validation_test_split",
]
