"""Learners that misbehave in one way each, in a module that workers can import."""

import os
import time
import warnings

import numpy as np

import learnt
from learnt.baseline import MajorityClassifier
from learnt.learner.fields import setting


class _Failing(MajorityClassifier):
    def fit(self, X, y=None, sample_weight=None):
        raise ZeroDivisionError("no luck today")


class _Dying(MajorityClassifier):
    def fit(self, X, y=None, sample_weight=None):
        print("these are my last words", flush=True)
        os._exit(7)


class _DyingSilently(MajorityClassifier):
    def fit(self, X, y=None, sample_weight=None):
        os._exit(7)


class _Talking(MajorityClassifier):
    def fit(self, X, y=None, sample_weight=None):
        print("I like to talk")
        return super().fit(X, y, sample_weight)


class _Vandal(MajorityClassifier):
    """Changes all that a process has in common."""

    def fit(self, X, y=None, sample_weight=None):
        np.random.seed(99)  # noqa: NPY002
        np.seterr(all="raise")
        warnings.simplefilter("error")
        learnt.threads(3)
        return super().fit(X, y, sample_weight)


class _GuessingGlobally(MajorityClassifier):
    """Answers by the generator that all share, and only under the settings that a fold starts from."""

    def predict_proba(self, X):
        assert learnt.threads() == 1
        assert np.geterr()["divide"] == "warn"
        warnings.warn("an error, if filters were left as they are", UserWarning, stacklevel=1)
        drawn = np.random.random(len(X)) < 0.5  # noqa: NPY002
        return np.column_stack([drawn, ~drawn]).astype(float)


class _Hanging(MajorityClassifier):
    def fit(self, X, y=None, sample_weight=None):
        time.sleep(600)


class _Waiting(MajorityClassifier):
    """Is not through before a file is there."""

    gate: str = setting(default="")

    def fit(self, X, y=None, sample_weight=None):
        while not os.path.exists(self.gate):
            time.sleep(0.02)
        return super().fit(X, y, sample_weight)


class _Warning(MajorityClassifier):
    def fit(self, X, y=None, sample_weight=None):
        warnings.warn("this went slowly", UserWarning, stacklevel=1)
        return super().fit(X, y, sample_weight)


class _Tiring(MajorityClassifier):
    """Hangs after as many fits of a process as TIRED_AFTER says, so that whoever interrupts it need not hurry."""

    fits = 0

    def fit(self, X, y=None, sample_weight=None):
        _Tiring.fits += 1
        if _Tiring.fits > float(os.environ.get("TIRED_AFTER", "inf")):
            time.sleep(600)
        return super().fit(X, y, sample_weight)


class _Unpleasant(Exception):
    """An error that can be pickled but not unpickled."""

    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


class _FailingUnpleasantly(MajorityClassifier):
    def fit(self, X, y=None, sample_weight=None):
        raise _Unpleasant(1, 2)


class NearestMean:
    """No base class, no get_params: only fit and predict, of arrays."""

    def fit(self, X, y):
        X = np.asarray(X, dtype=float)
        self.labels = np.unique(y)
        self.means = np.array([X[y == label].mean(axis=0) for label in self.labels])
        return self

    def predict(self, X):
        X = np.asarray(X, dtype=float)
        return self.labels[((X[:, None] - self.means) ** 2).sum(axis=2).argmin(axis=1)]


class Guessing:
    """Answers drawn by a random state that is left open."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def get_params(self, deep=True):
        return {"random_state": self.random_state}

    def set_params(self, **params):
        self.random_state = params["random_state"]
        return self

    def fit(self, X, y):
        self.labels = np.unique(y)
        return self

    def predict(self, X):
        return np.random.default_rng(self.random_state).choice(self.labels, len(X))
