"""Streams whose mean, error rate or spread changes, and the settings that detectors are tried with."""

import numpy as np


def _errors(seed):
    rng = np.random.default_rng(seed)
    return (rng.random(6000) < np.repeat(rng.random(6) * 0.6, 1000)).astype(float)


def _numbers(seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=6000) + np.repeat(rng.normal(size=6), 1000)


def _slow(seed):
    return np.random.default_rng(seed).normal(size=8000) + np.linspace(0, 2, 8000)


STREAMS = {
    **{f"errors {seed}": (lambda seed=seed: _errors(seed)) for seed in range(4)},
    **{f"numbers {seed}": (lambda seed=seed: _numbers(seed)) for seed in range(4)},
    "slow": lambda: _slow(0),
    "constant": lambda: np.full(3000, 0.1),
}
SETTINGS = {
    **{f"ddm {s}": ("ddm", f"errors {s}", {}) for s in range(4)},
    "ddm strict": ("ddm", "errors 0", {"grace": 100, "warning": 2.5, "threshold": 4.0}),
    **{f"eddm {s}": ("eddm", f"errors {s}", {}) for s in range(4)},
    "eddm strict": ("eddm", "errors 1", {"warning": 0.8, "threshold": 0.7}),
    **{f"page_hinkley {s}": ("page_hinkley", f"numbers {s}", {}) for s in range(4)},
    "page_hinkley up": ("page_hinkley", "numbers 2", {"direction": "up", "threshold": 20.0, "delta": 0.05}),
    "page_hinkley down": ("page_hinkley", "numbers 2", {"direction": "down", "grace": 5, "fading": 0.99}),
    "page_hinkley slow": ("page_hinkley", "slow", {}),
    **{f"adwin {s}": ("adwin", f"numbers {s}", {}) for s in range(4)},
    **{f"adwin of errors {s}": ("adwin", f"errors {s}", {}) for s in range(4)},
    "adwin at every value": ("adwin", "numbers 1", {"clock": 1, "min_window": 2, "max_buckets": 3, "grace": 4}),
    "adwin careful": ("adwin", "numbers 3", {"delta": 1e-6}),
    "adwin slow": ("adwin", "slow", {}),
    "adwin of a constant": ("adwin", "constant", {}),
}
