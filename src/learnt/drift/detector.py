"""Drift in a stream: errors of a model, or any numbers, watched one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.errors import InputError
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import OneOf, Real, Whole
from learnt.learner.settings import Settings
from learnt.show.words import count_of

#: Settings that a method has of its own where none are given.
OWN = {
    "adwin": {"grace": 10, "delta": 0.002, "warning": 0.0, "threshold": 0.0},
    "ddm": {"grace": 30, "delta": 0.0, "warning": 2.0, "threshold": 3.0},
    "eddm": {"grace": 30, "delta": 0.0, "warning": 0.95, "threshold": 0.9},
    "page_hinkley": {"grace": 30, "delta": 0.005, "warning": 0.0, "threshold": 50.0},
}
#: Those that take a stream of errors: 0 where a model was right, 1 where it was wrong.
OF_ERRORS = ("ddm", "eddm")
WARNING, DRIFT = 1, 2


class DriftDetector(Settings):
    """Watch a stream of numbers, and say when it is no longer what it was.

    >>> detector = DriftDetector()
    >>> detector.update([0.0, 1.0] * 500)
    []
    >>> detector.update([5.0, 6.0] * 100)
    [1023]
    >>> print(detector)
    adwin: 1,200 values, drift at 1023

    | `method` | what it watches | drift is |
    |---|---|---|
    | `"adwin"` | any numbers (Bifet & Gavaldà 2007) | parts of the recent past whose means differ by more than chance |
    | `"ddm"` | errors, 0 or 1 (Gama et al. 2004) | an error rate 3 standard deviations above the best one so far |
    | `"eddm"` | errors, 0 or 1 (Baena-García et al. 2006) | errors that come closer together; for slow drift |
    | `"page_hinkley"` | any numbers (Page 1954) | a sum of deviations from the mean far from its lowest or highest |

    `update` takes one value or many, and gives the places of the alarms among them, counted from the first value of the
    stream. After an alarm the detector starts anew. All four give the alarms of the package river, value for value.

    {settings}

    Attributes: `n_seen_` values; `alarms_` and `warnings_`, the places of all alarms, and of the values at which a
    warning began (`ddm` and `eddm`).
    """

    method: str = setting(OneOf("adwin", "ddm", "eddm", "page_hinkley"), "see above", default="adwin", kw_only=False)
    grace: Any = setting(
        Whole(1) | OneOf(None), "values (errors for eddm) before anything is said; None: 30, adwin 10", default=None
    )
    delta: Any = setting(
        Real(above=0) | OneOf(None),
        "adwin: how likely a false alarm may be (None: 0.002); page_hinkley: change that is let pass (0.005)",
        default=None,
    )
    warning: Any = setting(
        Real(above=0) | OneOf(None), "ddm: standard deviations (None: 2); eddm: ratio (0.95)", default=None
    )
    threshold: Any = setting(
        Real(above=0) | OneOf(None),
        "ddm: standard deviations (None: 3); eddm: ratio (0.9); page_hinkley: height of the sum (50)",
        default=None,
    )
    fading: float = setting(Real(above=0, high=1), "page_hinkley: how much of the sum each value keeps", default=0.9999)
    direction: str = setting(OneOf("both", "up", "down"), "page_hinkley: which changes count", default="both")
    clock: int = setting(Whole(1), "adwin looks for a cut after so many values", default=32)
    max_buckets: int = setting(Whole(2, 1000), "adwin: buckets of a size before two are joined", default=5)
    min_window: int = setting(Whole(1, 2**31), "adwin: the least part of a cut", default=5)

    n_seen_: int = attribute()
    alarms_: list[int] = attribute()
    warnings_: list[int] = attribute()
    _state: Array = attribute()
    _warned: bool = attribute()

    def update(self, values: Any) -> list[int]:
        """Take the next value, or the next values, and give the places of alarms among them."""
        self._check_parameters()
        numbers = self._numbers(values)
        options = self._options()
        if not hasattr(self, "_state"):
            self._start(options)
        said = np.zeros(len(numbers), np.uint8)
        _core.find_drift(options, numbers, self._state, said)
        alarms = (np.flatnonzero(said == DRIFT) + self.n_seen_).tolist()
        warned = np.concatenate([[self._warned], said == WARNING])
        self.warnings_ += (np.flatnonzero(warned[1:] & ~warned[:-1]) + self.n_seen_).tolist()
        self._warned = bool(warned[-1])
        self.alarms_ += alarms
        self.n_seen_ += len(numbers)
        return alarms

    def reset(self) -> DriftDetector:
        """Forget all values and alarms."""
        self._start(self._options())
        return self

    def plot(self, values: Any, ax: Any = None) -> Any:
        """Draw a stream (its recent mean), with the alarms found so far."""
        from learnt.plot.drift import plot_stream

        return plot_stream(self._numbers(values), getattr(self, "alarms_", []), getattr(self, "warnings_", []), ax)

    def _start(self, options: Any) -> None:
        self._state = np.zeros(_core.drift_state_size(options))
        _core.start_drift(options, self._state)
        self.n_seen_, self.alarms_, self.warnings_, self._warned = 0, [], [], False

    def _options(self) -> Any:
        own = OWN[self.method]
        given = {name: own[name] if getattr(self, name) is None else getattr(self, name) for name in own}
        return _core.DriftOptions(
            method=self.method,
            least=float(given["grace"]),
            warning=float(given["warning"]),
            drift=float(given["threshold"]),
            delta=float(given["delta"]),
            fading=float(self.fading) if self.method == "page_hinkley" else 1.0,
            up=self.direction != "down",
            down=self.direction != "up",
            clock=self.clock,
            buckets=self.max_buckets,
            window=self.min_window,
        )

    def _numbers(self, values: Any) -> Array:
        try:
            numbers = np.atleast_1d(np.asarray(values, dtype=np.float64))
        except (TypeError, ValueError):
            raise InputError("The stream holds something that is not a number.") from None
        if numbers.ndim != 1:
            raise InputError(f"A stream is one number after the other; these have {numbers.ndim} dimensions.")
        if len(numbers) and not np.isfinite(numbers).all():
            raise InputError(f"Value {int((~np.isfinite(numbers)).argmax())} is missing or infinite.")
        if self.method in OF_ERRORS and not np.isin(numbers, (0, 1)).all():
            wrong = int((~np.isin(numbers, (0, 1))).argmax())
            raise InputError(
                f"Value {wrong} is {numbers[wrong]:g}. {self.method} takes errors: 0 where a model was right, 1 where "
                'it was wrong; "adwin" and "page_hinkley" take any numbers.'
            )
        return np.ascontiguousarray(numbers)

    def __str__(self) -> str:
        if not hasattr(self, "_state"):
            return f"{self.method}: nothing seen"
        shown = ", ".join(map(str, self.alarms_[-8:]))
        before = f"{len(self.alarms_) - 8} before, " if len(self.alarms_) > 8 else ""
        found = f"drift at {before}{shown}" if self.alarms_ else "no drift"
        return f"{self.method}: {count_of(self.n_seen_, 'value')}, {found}"
