"""How many states: a model for each number, compared by an information criterion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.errors import ParameterError
from learnt.graphical.hmm.learner import HiddenMarkovModel
from learnt.graphical.hmm.sequences import read_sequences
from learnt.learner.parameters import OneOf, Whole, check_parameters
from learnt.learner.settings import clone
from learnt.show.numbers import number
from learnt.show.text_table import aligned
from learnt.show.words import list_of
from learnt.watch import report

#: A difference of criteria from which on it is evidence, by the rule of thumb (Kass and Raftery, 1995).
CLOSE = 10.0


@dataclass(frozen=True)
class StateChoice:
    """Models of 1, 2, … states with their criteria; `best` is that of the lowest `criterion`."""

    models: tuple[Any, ...]
    bic: tuple[float, ...]
    aic: tuple[float, ...]
    criterion: str

    @property
    def n_states(self) -> tuple[int, ...]:
        return tuple(int(model.n_states) for model in self.models)

    @property
    def values(self) -> tuple[float, ...]:
        """The criterion chosen by."""
        return self.bic if self.criterion == "bic" else self.aic

    @property
    def best(self) -> Any:
        """The fitted model of the lowest criterion; of equal ones that of fewer states."""
        return self.models[int(np.argmin(self.values))]

    @property
    def verdict(self) -> str:
        """The choice in words, and which others are about as good."""
        at = int(np.argmin(self.values))
        k, lowest = self.n_states, self.values[at]
        told = f"{k[at]} state{'s' if k[at] > 1 else ''}: the {self.criterion.upper()} is lowest, {number(lowest)}."
        near = [str(n) for n, value in zip(k, self.values, strict=True) if n != k[at] and value - lowest < CLOSE]
        if near:
            told += f" {list_of(near)} {'is' if len(near) == 1 else 'are'} about as good: the rows do not decide."
        if at == len(k) - 1 and at > 0:
            told += " It is the largest number tried: try more."
        return told

    def __str__(self) -> str:
        rows = [["states", "parameters", "log-likelihood", "BIC", "AIC", ""]]
        for model, bic, aic in zip(self.models, self.bic, self.aic, strict=True):
            facts = map(number, (model.log_likelihood_, bic, aic))
            mark = f"← lowest {self.criterion.upper()}" if model is self.best else ""
            rows.append([str(model.n_states), str(model.n_parameters_), *facts, mark])
        return f"{aligned(rows, left={5})}\n{self.verdict}"

    def plot(self, ax: Any = None) -> Any:
        """Draw both criteria against the number of states; returns the matplotlib axes."""
        from learnt.plot.hidden_states import plot_state_choice

        return plot_state_choice(self, ax)


def choose_states(
    X: Any,
    model: HiddenMarkovModel | None = None,
    *,
    most: int = 6,
    criterion: str = "bic",
    sequence: str | None = None,
    order: str | None = None,
    lengths: Any = None,
) -> StateChoice:
    """Fit models of 1 to `most` states and compare them; `model` is an unfitted one whose other settings are used.

    >>> x = np.repeat([0.0, 5.0, 0.0, 5.0], 20)[:, None] + np.sin(np.arange(80.0))[:, None]
    >>> choose_states(x, most=3).best.n_states
    2
    """
    check_parameters(
        "choose_states",
        {"most": Whole(1), "criterion": OneOf("bic", "aic")},
        {"most": most, "criterion": criterion},
    )
    wanted = HiddenMarkovModel(n_init=3) if model is None else model
    if not isinstance(wanted, HiddenMarkovModel) or not isinstance(wanted.init, str):
        raise ParameterError("model is a HiddenMarkovModel that does not start from a given one.")
    rows = read_sequences(X, sequence=sequence, order=order, lengths=lengths).table.n_rows
    models, bic, aic = [], [], []
    for k in range(1, most + 1):
        fitted = clone(wanted).set_params(n_states=k).fit(X, sequence=sequence, order=order, lengths=lengths)
        models.append(fitted)
        bic.append(-2 * fitted.log_likelihood_ + fitted.n_parameters_ * float(np.log(rows)))
        aic.append(-2 * fitted.log_likelihood_ + 2 * fitted.n_parameters_)
        report("states", learner="HiddenMarkovModel", iteration=k, total=most, objective=bic[-1])
    return StateChoice(tuple(models), tuple(bic), tuple(aic), criterion)
