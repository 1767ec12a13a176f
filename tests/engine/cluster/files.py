"""Files that tests of the cluster fit to, and what a model is to the bit."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import learnt

N_ROWS = 10_500  # boosting takes fewer into memory


def frame(n_rows: int = N_ROWS) -> Any:
    """Numbers, labels and gaps, with a number and a class that follow from them."""
    import pandas as pd

    rng = np.random.default_rng(0)
    x = rng.normal(size=(n_rows, 4))
    town = np.array(["Bern", "Basel", "Zug", None], dtype=object)[rng.integers(0, 4, n_rows)]
    goal = x @ [1.0, -1.0, 0.5, 0.0] + (town == "Zug") + rng.normal(size=n_rows)
    made = pd.DataFrame(x, columns=list("abcd"))
    made["town"] = town
    made["y"] = goal
    made["t"] = np.where(goal > 0.5, "yes", "no")
    return made


def parquet(folder: Path, n_files: int = 7, n_rows: int = N_ROWS) -> Path:
    """The rows in so many files of unequal size."""
    table = frame(n_rows)
    cuts = np.unique(np.linspace(0, n_rows ** (1 / 1.1), n_files + 1) ** 1.1).astype(int)
    cuts[-1] = n_rows
    for number, (start, stop) in enumerate(pairwise(cuts)):
        table.iloc[start:stop].to_parquet(folder / f"{number:03}.parquet")
    return folder


LEARNERS: dict[str, tuple[Any, str | None]] = {
    "k-means": (lambda: learnt.KMeans(3, max_iter=5, random_state=0), None),
    "naive Bayes": (lambda: learnt.NaiveBayesClassifier(), "t"),
    "least squares": (lambda: learnt.LinearRegression(), "y"),
    "logistic regression": (lambda: learnt.LogisticRegression(), "t"),
    "boosting": (lambda: learnt.GradientBoostingClassifier(max_iter=3, max_leaf_nodes=4), "t"),
}


def fitted(name: str, source: Any) -> Any:
    make, target = LEARNERS[name]
    return make().fit(source) if target is None else make().fit(source, target)


def bits(model: Any) -> bytes:
    """All that was learnt, to the bit."""
    with TemporaryDirectory() as folder:
        learnt.save(model, Path(folder) / "model")
        return (Path(folder) / "model").read_bytes()


def arrays(model: Any) -> dict[str, Any]:
    return {k: v for k, v in vars(model).items() if isinstance(v, np.ndarray) and v.dtype.kind == "f"}


def assert_same(model: Any, expected: Any, rtol: float = 1e-10) -> None:
    """Equal but for the order of additions."""
    assert arrays(model).keys() == arrays(expected).keys()
    for name, value in arrays(expected).items():
        np.testing.assert_allclose(arrays(model)[name], value, rtol=rtol, atol=rtol, err_msg=name)
