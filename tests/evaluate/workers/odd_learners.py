"""Learners that fail, hang, die or are slow, for comparisons; in a module that workers can import."""

from __future__ import annotations

import ctypes
import os
import sys
import time
import warnings

import numpy as np

import learnt.tree.c45
from learnt.baseline import MajorityClassifier

_fits = 0  # of this process


def _nth_fit() -> int:
    global _fits
    _fits += 1
    return _fits


class _Slow(MajorityClassifier):
    abilities = MajorityClassifier.abilities - {"baseline"}

    def fit(self, X, y=None, sample_weight=None):
        time.sleep(0.1)
        return super().fit(X, y, sample_weight)


class _Failing(MajorityClassifier):
    abilities = MajorityClassifier.abilities - {"baseline"}

    def fit(self, X, y=None, sample_weight=None):
        raise ValueError("no luck with \x1b[31mred\x1b[0m rows")


class _FailingLater(MajorityClassifier):
    abilities = MajorityClassifier.abilities - {"baseline"}

    def fit(self, X, y=None, sample_weight=None):
        if _nth_fit() > 2:
            raise ValueError("only some folds are to my taste")
        return super().fit(X, y, sample_weight)


class _Dying(MajorityClassifier):
    abilities = MajorityClassifier.abilities - {"baseline"}

    def fit(self, X, y=None, sample_weight=None):
        print("out of luck", file=sys.stderr, flush=True)
        os._exit(7)


class _Crashing(MajorityClassifier):
    abilities = MajorityClassifier.abilities - {"baseline"}

    def fit(self, X, y=None, sample_weight=None):
        ctypes.string_at(0)


class _Hanging(MajorityClassifier):
    abilities = MajorityClassifier.abilities - {"baseline"}

    def fit(self, X, y=None, sample_weight=None):
        time.sleep(600)


class _HangingLater(MajorityClassifier):
    abilities = MajorityClassifier.abilities - {"baseline"}

    def fit(self, X, y=None, sample_weight=None):
        if _nth_fit() > 2:
            time.sleep(600)
        return super().fit(X, y, sample_weight)


class _WrongAnswers(MajorityClassifier):
    abilities = MajorityClassifier.abilities - {"baseline"}

    def predict(self, X):
        return np.full(len(X), "never heard of")


class _Vandal(MajorityClassifier):
    """Changes all that a process has in common."""

    abilities = MajorityClassifier.abilities - {"baseline"}

    def fit(self, X, y=None, sample_weight=None):
        np.random.seed(99)  # noqa: NPY002
        np.seterr(all="raise")
        warnings.simplefilter("error")
        os.environ["LEARNT_THREADS"] = "no number"
        learnt.tree.c45.C45Classifier.predict_proba = None
        return super().fit(X, y, sample_weight)
