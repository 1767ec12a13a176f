"""Advice of experts: halving, weighted majority and Hedge over learners, columns or a table of advice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.errors import InputError
from learnt.learner.parameters import Flag, OneOf, Real, Seed, check_parameters, seed_from
from learnt.show.numbers import number
from learnt.show.text_table import aligned_lines
from learnt.show.words import count_of, plain
from learnt.theory import halving_mistakes, weighted_majority_mistakes


@dataclass(frozen=True, eq=False)
class ExpertRun:
    """What happened row by row: `wrong` of the learner, `expert_wrong` of each expert, and `weights` after each row."""

    method: str
    names: tuple[str, ...]
    predictions: Array
    wrong: Array  # steps, mistakes or, of a randomised learner, their chance
    expert_wrong: Array  # steps × experts
    weights: Array  # steps × experts
    bound: float

    @property
    def mistakes(self) -> float:
        return float(self.wrong.sum())

    @property
    def best_expert(self) -> str:
        """The expert with the fewest mistakes, of equal ones the first."""
        return self.names[int(self.expert_wrong.sum(axis=0).argmin())]

    @property
    def regret(self) -> float:
        """How many mistakes more than the best expert made."""
        return self.mistakes - float(self.expert_wrong.sum(axis=0).min())

    def __str__(self) -> str:
        best = int(self.expert_wrong.sum(axis=0).min())
        bound = "no bound, since every expert errs" if math.isinf(self.bound) else f"the bound is {number(self.bound)}"
        head = (
            f"{self.method}: {number(self.mistakes)} mistakes in {count_of(len(self.wrong), 'row')}, {bound}; "
            f"the best expert, {self.best_expert}, made {best}"
        )
        last = (
            self.weights[-1] / max(self.weights[-1].sum(), 1e-300) if len(self.weights) else np.zeros(len(self.names))
        )
        order = np.argsort(-last, kind="stable")[:10]
        rows = [("expert", "mistakes", "share of the weight")]
        rows += [(self.names[j], str(int(self.expert_wrong[:, j].sum())), number(float(last[j]))) for j in order]
        return "\n".join([head, *aligned_lines(rows, left=(0,))])

    def plot(self, ax: Any = None) -> Any:
        """Draw mistakes over the rows: of the learner, of each expert, and the bound."""
        from learnt.plot.concepts import plot_mistakes

        return plot_mistakes(self, ax)


class _Adviser:
    """Asks experts for advice row by row, and learns from the labels whom to trust.

    `experts` may be fitted learners, functions of a row as a dict, or names of columns that hold advice; None takes
    all columns.
    """

    def __init__(self, experts: Sequence[Any] | None = None):
        self.experts = experts

    def run(self, X: Any, y: Any) -> ExpertRun:
        """Meet the rows one after another: ask, answer, see the label, learn. `y` are the labels or their column."""
        table = Table(X)
        if isinstance(y, str):
            labels, table = _cells(table, y), table.drop(y)
        else:
            labels = [plain(label) for label in Table({"y": y})["y"].labels()]
        names, advice = _advice(self.experts, table)
        if len(labels) != len(advice):
            raise InputError(f"There are {len(advice)} rows and {len(labels)} labels.")
        if None in labels:
            raise InputError(f"Row {labels.index(None)} has no label.")
        wrong = np.array([[a != label for a in row] for row, label in zip(advice, labels, strict=True)], bool)
        return self._go(names, advice, labels, wrong.reshape(len(labels), len(names)))

    def _go(self, names: tuple[str, ...], advice: list[list[Any]], labels: list[Any], wrong: Array) -> ExpertRun:
        raise NotImplementedError


class Halving(_Adviser):
    """Answer as most experts do that have never been wrong, and strike out those that are.

    With one perfect expert among n it errs ⌊log₂ n⌋ times at most. Where none is left it starts again with all.

    >>> advice = {"a": ["yes", "no", "yes"], "b": ["no", "no", "no"], "c": ["no", "yes", "yes"]}
    >>> run = Halving().run(advice, ["yes", "no", "yes"])
    >>> run.mistakes, run.bound, run.best_expert
    (1.0, 1, 'a')
    """

    def _go(self, names: tuple[str, ...], advice: list[list[Any]], labels: list[Any], wrong: Array) -> ExpertRun:
        alive, answers, weights = np.ones(len(names), bool), [], []
        for row, own in zip(advice, wrong, strict=True):
            answers.append(_majority(row, alive.astype(float)))
            alive = alive & ~own
            if not alive.any():
                alive = np.ones(len(names), bool)
            weights.append(alive.astype(float))
        perfect = bool((~wrong.any(axis=0)).any())
        return ExpertRun(
            "halving",
            names,
            _objects(answers),
            np.array([a != label for a, label in zip(answers, labels, strict=True)], float),
            wrong,
            np.array(weights).reshape(wrong.shape),
            halving_mistakes(len(names)) if perfect else math.inf,
        )


class WeightedMajority(_Adviser):
    """Answer as the experts with most weight do, and multiply the weights of those that were wrong by β.

    `randomised` follows an expert drawn by the weights instead, which halves the bound; its `mistakes` are
    those to be expected, and its answers are drawn.

    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(200) < 0.5
    >>> advice = {f"e{j}": np.where(rng.random(200) < 0.1 + 0.08 * j, ~truth, truth) for j in range(6)}
    >>> run = WeightedMajority().run(advice, truth)
    >>> run.best_expert, run.mistakes <= run.bound
    ('e0', True)
    """

    def __init__(
        self,
        experts: Sequence[Any] | None = None,
        *,
        beta: float = 0.5,
        randomised: bool = False,
        random_state: Any = 0,
    ):
        super().__init__(experts)
        self.beta, self.randomised, self.random_state = beta, randomised, random_state
        domains = {"beta": Real(above=0, below=1), "randomised": Flag(), "random_state": Seed()}
        check_parameters(
            "WeightedMajority", domains, {"beta": beta, "randomised": randomised, "random_state": random_state}
        )

    def _go(self, names: tuple[str, ...], advice: list[list[Any]], labels: list[Any], wrong: Array) -> ExpertRun:
        logs, course, answers, losses = np.zeros(len(names)), [], [], []
        rng = np.random.default_rng(seed_from(self.random_state))
        for row, own, label in zip(advice, wrong, labels, strict=True):
            weights = np.exp(logs - logs.max())  # in logarithms: β^mistakes underflows in long streams
            if self.randomised:
                answers.append(row[int(rng.choice(len(names), p=weights / weights.sum()))])
                losses.append(float(weights[own].sum() / weights.sum()))
            else:
                answers.append(_majority(row, weights))
                losses.append(float(answers[-1] != label))
            logs = logs + own * math.log(self.beta)
            course.append(np.exp(logs - logs.max()))
        best = int(wrong.sum(axis=0).min())
        return ExpertRun(
            "weighted majority" + (", randomised" if self.randomised else ""),
            names,
            _objects(answers),
            np.array(losses),
            wrong,
            np.array(course).reshape(wrong.shape),
            weighted_majority_mistakes(len(names), best, beta=self.beta, randomised=self.randomised),
        )


class Hedge(_Adviser):
    """Spread trust over experts, and multiply the share of each by exp(−η · loss).

    `eta="best"` is √(8 ln n / T) for T rows, with which the expected regret is at most √(T ln n / 2).

    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(100) < 0.5
    >>> run = Hedge().run({"good": truth, "bad": ~truth}, truth)
    >>> bool(run.regret <= np.sqrt(100 * np.log(2) / 2))
    True
    """

    def __init__(self, experts: Sequence[Any] | None = None, *, eta: Any = "best"):
        super().__init__(experts)
        check_parameters("Hedge", {"eta": OneOf("best") | Real(above=0)}, {"eta": eta})
        self.eta = eta

    def _go(self, names: tuple[str, ...], advice: list[list[Any]], labels: list[Any], wrong: Array) -> ExpertRun:
        n, steps = len(names), max(1, len(labels))
        eta = math.sqrt(8 * math.log(n) / steps) if self.eta == "best" else float(self.eta)
        before = np.vstack([np.zeros(n), np.cumsum(wrong, axis=0)])
        logs = -eta * before
        shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        losses = (shares[:-1] * wrong).sum(axis=1)
        best = float(wrong.sum(axis=0).min())
        slack = math.log(n) / eta + eta * steps / 8 if eta > 0 else 0.0
        answers = [_majority(row, share) for row, share in zip(advice, shares[:-1], strict=True)]
        return ExpertRun("Hedge", names, _objects(answers), losses, wrong, shares[1:], best + slack)


def _majority(row: Sequence[Any], weights: Array) -> Any:
    """The answer with the most weight, of equal ones the first that is given."""
    sums: dict[Any, float] = {}
    for answer, weight in zip(row, weights.tolist(), strict=True):
        sums[answer] = sums.get(answer, 0.0) + weight
    return max(sums, key=lambda answer: sums[answer])


def _advice(experts: Sequence[Any] | None, table: Table) -> tuple[tuple[str, ...], list[list[Any]]]:
    chosen = list(table.names) if experts is None else list(experts)
    if not chosen:
        raise InputError("There are no experts.")
    names, columns = [], []
    for expert in chosen:
        if isinstance(expert, str):
            names.append(expert)
            columns.append(_cells(table, expert))
        elif hasattr(expert, "predict"):
            names.append(type(expert).__name__)
            columns.append([plain(answer) for answer in np.asarray(expert.predict(table)).tolist()])
        elif callable(expert):
            rows = zip(*([plain(c) for c in column.labels()] for column in table.columns), strict=True)
            names.append(getattr(expert, "__name__", "expert"))
            columns.append([expert(dict(zip(table.names, row, strict=True))) for row in rows])
        else:
            raise InputError(f"An expert is {expert!r}. Expected a fitted learner, a function or the name of a column.")
    twice = {name for name in names if names.count(name) > 1}
    told = tuple(f"{name} {i + 1}" if name in twice else name for i, name in enumerate(names))
    return told, [list(row) for row in zip(*columns, strict=True)]


def _cells(table: Table, name: str) -> list[Any]:
    return [plain(cell) for cell in table[name].labels()]


def _objects(answers: Sequence[Any]) -> Array:
    found = np.empty(len(answers), dtype=object)
    found[:] = answers
    return found
