"""What theory says about a model on the data at hand: its Rademacher complexity, and a bound on its error."""

from __future__ import annotations

import lzma
import math
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from learnt.baseline import MajorityClassifier
from learnt.data.table import Array, Table
from learnt.errors import InputError, ParameterError
from learnt.learner.parameters import Real, Seed, Whole, check_parameters, seed_from
from learnt.learner.settings import clone
from learnt.saving import save
from learnt.show.numbers import number, percent


@dataclass(frozen=True)
class RademacherComplexity:
    """How well a learner fits labels that mean nothing: 0 not at all, 1 always. `draws` are the single ones."""

    value: float
    draws: tuple[float, ...]
    m: int

    def bound(self, training_error: float, delta: float = 0.05) -> float:
        """With certainty 1 − δ the error of any model of the class is at most this: error + R + 3 √(ln(2/δ)/2m)."""
        return training_error + self.value + 3 * math.sqrt(math.log(2 / delta) / (2 * self.m))

    def __str__(self) -> str:
        return f"Rademacher complexity {number(self.value)} on {self.m:,} rows, over {len(self.draws)} draws of labels"


def rademacher_complexity(learner: Any, X: Any, *, draws: int = 20, random_state: Any = 0) -> RademacherComplexity:
    """How well a classifier fits random labels on these rows: the mean of 1 − 2 · training error over many draws.

        R = E_σ [ max_h 1/m Σ_i σ_i h(x_i) ]        σ_i = ±1, each as likely

    The maximum is what the learner finds: for one that does not find the best hypothesis it is a little too small.

    >>> import learnt
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> stump = rademacher_complexity(learnt.DecisionStumpClassifier(), X).value
    >>> tree = rademacher_complexity(learnt.DecisionTreeClassifier(), X).value
    >>> round(stump, 1), round(tree, 1)
    (0.2, 1.0)
    """
    check_parameters(
        "rademacher_complexity",
        {"draws": Whole(1), "random_state": Seed()},
        {"draws": draws, "random_state": random_state},
    )
    table = Table(X)
    if table.n_rows < 2:
        raise InputError(f"There are {table.n_rows} rows. Expected two or more.")
    rng = np.random.default_rng(seed_from(random_state))
    found = []
    for _ in range(draws):
        signs = rng.integers(0, 2, table.n_rows).astype(bool)
        if signs.all() or not signs.any():
            found.append(1.0)  # one class is fitted by all
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # labels that mean nothing are hard to fit
            answers = np.asarray(clone(learner).fit(table, signs).predict(table))
        found.append(float(max(0.0, 2 * np.mean(answers == signs) - 1)))
    return RademacherComplexity(float(np.mean(found)), tuple(found), table.n_rows)


@dataclass(frozen=True)
class ModelBound:
    """What is certain of the error of a model on new rows like those it was trained on."""

    training_error: float
    m: int
    log_hypotheses: float
    delta: float
    by: str

    @property
    def slack(self) -> float:
        """How far above the training error the true one may be."""
        return math.sqrt((self.log_hypotheses + math.log(1 / self.delta)) / (2 * self.m))

    @property
    def error(self) -> float:
        return self.training_error + self.slack

    @property
    def vacuous(self) -> bool:
        """Whether it says nothing that one does not know of any model."""
        return self.error >= 1

    @property
    def rows_needed(self) -> int:
        """How many rows would bring the error within .05 of the training error, for a model of this size."""
        return math.ceil((self.log_hypotheses + math.log(1 / self.delta)) / (2 * 0.05**2))

    def __str__(self) -> str:
        sure = f"with probability {number(1 - self.delta)}"
        said = (
            f"{percent(self.training_error)} of {self.m:,} training rows are wrong, and ln |H| is "
            f"{number(self.log_hypotheses)} ({self.by}): "
        )
        if self.vacuous:
            needed = f"{self.rows_needed:,} rows would bring it within 0.05 of the training error"
            return said + f"the bound on the error of new rows, {number(self.error)}, is vacuous; {needed}."
        return said + f"{sure} at most {percent(self.error)} of new rows are."


def pac_bound(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    delta: float = 0.05,
    log_hypotheses: float | None = None,
    vc: float | None = None,
) -> ModelBound:
    """A bound on the error of a fitted classifier, of the rows it was trained on.

        error ≤ training error + √((ln |H| + ln 1/δ) / 2m)

    The size of the class is what it takes to write the model down (Occam's razor: a model of b bits is one of 2^b)
    unless you know better: `log_hypotheses`, or `vc`, the VC dimension, which by Sauer's bound gives
    ln |H| = VC · ln(2 e m / VC). It holds whatever the distribution of the rows, and is far from tight: held-out rows
    say more. Where it says nothing, it is called vacuous.

    >>> import learnt
    >>> vote = learnt.datasets.load("vote")
    >>> stump = learnt.DecisionStumpClassifier().fit(vote)
    >>> bound = pac_bound(stump, vote, vc=16)
    >>> round(bound.training_error, 4), round(bound.error, 3)
    (0.0437, 0.352)
    """
    check_parameters("pac_bound", {"delta": Real(above=0, below=1)}, {"delta": delta})
    if log_hypotheses is not None and vc is not None:
        raise ParameterError("Give log_hypotheses= or vc=, not both.")
    table, truth = _rows_and_labels(X, y)
    m = table.n_rows
    error = float(np.mean(np.asarray(model.predict(table), dtype=object) != truth))
    by = "as given"
    if vc is not None:
        by = f"a VC dimension of {vc:g}"
        log_hypotheses = vc * math.log(2 * math.e * m / vc) if vc > 0 else 0.0
        log_hypotheses = min(log_hypotheses, 2 * m * math.log(2))
    elif log_hypotheses is None:
        bits = 8 * _described_bytes(model, table, truth)
        log_hypotheses, by = bits * math.log(2), f"the model takes {bits:,} bits"
    return ModelBound(error, m, float(log_hypotheses), delta, by)


def _rows_and_labels(X: Any, y: Any) -> tuple[Table, Array]:
    table = Table(X)
    name = y if isinstance(y, str) else table.target if y is None else None
    if name is not None:
        return table.drop(name), np.array(table[name].labels(), dtype=object)
    if y is None:
        raise InputError("There are no labels. Give y, or the name of the column that holds them.")
    return table, np.array(Table({"y": y})["y"].labels(), dtype=object)


def _described_bytes(model: Any, table: Table, truth: Array) -> int:
    """What it takes to write a model down for somebody who knows the columns and how models are written.

    That is how much longer the compressed file of a model that knows nothing gets if this one's is added.
    """
    known = _file_of(MajorityClassifier().fit(table, truth))
    return max(1, len(_compressed(known + _file_of(model))) - len(_compressed(known)))


def _file_of(model: Any) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.learnt"
        save(model, path)
        return path.read_bytes()


def _compressed(content: bytes) -> bytes:
    return lzma.compress(content, format=lzma.FORMAT_ALONE, preset=9)
