"""How many components: a mixture for each number, compared by an information criterion."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.cluster.mixture.base import Mixture
from learnt.cluster.mixture.gaussian_mixture import GaussianMixture
from learnt.cluster.mixture.mixture_model import MixtureModel
from learnt.cluster.mixture.thin import fewest_rows, has_enough_rows, rows_needed
from learnt.data.files.scan import Scan
from learnt.data.table import Table
from learnt.errors import ParameterError
from learnt.learner.parameters import OneOf, Whole, check_parameters
from learnt.learner.settings import clone
from learnt.show.numbers import number
from learnt.show.text_table import aligned
from learnt.show.words import list_of, list_of_numbers
from learnt.watch import report

#: A difference of criteria from which on it is evidence, by the rule of thumb (Kass and Raftery, 1995).
CLOSE = 10.0
WIDE = 100  # letters of a line


@dataclass(frozen=True)
class ComponentChoice:
    """Mixtures of 1, 2, … components with their criteria; `best` is that of the lowest `criterion`.

    Only mixtures count whose components all hold at least as many rows as they have parameters (`enough_rows`): fewer
    can be fitted as closely as one likes, so that their criterion means nothing.
    """

    models: tuple[Any, ...]
    log_likelihood: tuple[float, ...]
    bic: tuple[float, ...]
    aic: tuple[float, ...]
    criterion: str
    weight: float  # of all rows

    @property
    def enough_rows(self) -> tuple[bool, ...]:
        """Of each mixture, whether every component holds the rows it needs."""
        return tuple(has_enough_rows(model, self.weight) for model in self.models)

    @property
    def n_components(self) -> tuple[int, ...]:
        return tuple(int(model.n_components) for model in self.models)

    @property
    def values(self) -> tuple[float, ...]:
        """The criterion chosen by."""
        return self.bic if self.criterion == "bic" else self.aic

    @property
    def best(self) -> Any:
        """The fitted mixture of the lowest criterion among those with rows enough; of equal ones that of fewer
        components. A single component where none has them."""
        return self.models[self._at]

    @property
    def _at(self) -> int:
        enough = self.enough_rows
        return int(np.argmin(np.where(enough, self.values, np.inf))) if any(enough) else 0

    @property
    def verdict(self) -> str:
        """The choice in words: why this number, which others are about as good, and which are out."""
        at, enough = self._at, self.enough_rows
        k, name, lowest = self.n_components, self.criterion.upper(), self.values[self._at]
        plural = "s" if k[at] > 1 else ""
        sound = [i for i in range(len(k)) if enough[i]]
        if not sound:
            return f"1 component: the table has fewer rows than it has parameters, {rows_needed(self.best)}."
        out = [k[i] for i in range(len(k)) if not enough[i]]
        which = " of those with rows enough" if out else ""
        told = f"{k[at]} component{plural}: the {name} is lowest{which}, {number(lowest)}."
        near = [k[i] for i in sound if i != at and self.values[i] - lowest < CLOSE]
        if near:
            verb = "is" if len(near) == 1 else "are"
            told += f" {list_of([str(n) for n in near])} {verb} about as good: the table does not decide."
        if out:
            told += f" With {list_of_numbers(out)}, a component would hold fewer rows than it has parameters."
        return told

    def __str__(self) -> str:
        rows = [["components", "parameters", "log-likelihood", "BIC", "AIC", "fewest rows", ""]]
        for i, model in enumerate(self.models):
            facts = (self.log_likelihood[i], self.bic[i], self.aic[i], fewest_rows(model, self.weight))
            rows.append([str(model.n_components), str(model.n_parameters_), *map(number, facts), self._mark(i)])
        return f"{aligned(rows, left={6})}\n{textwrap.fill(self.verdict, WIDE)}"

    def _mark(self, i: int) -> str:
        needed = "" if self.enough_rows[i] else f"too few rows, {rows_needed(self.models[i])} needed"
        if i != self._at:
            return needed
        beaten = min(self.values) < self.values[i]
        of_those = " with rows enough" if beaten else ""
        return f"← the simplest, {needed}" if needed else f"← lowest {self.criterion.upper()}{of_those}"

    def plot(self, ax: Any = None) -> Any:
        """Draw both criteria against the number of components; returns the matplotlib axes."""
        from learnt.plot.mixtures import plot_component_choice

        return plot_component_choice(self, ax)


def choose_components(
    X: Any, model: Any = None, *, most: int = 10, criterion: str = "bic", sample_weight: Any = None
) -> ComponentChoice:
    """Fit mixtures of 1 to `most` components and compare them.

    `model` is an unfitted `GaussianMixture` or `MixtureModel` whose other settings are used; by default the first for
    tables of numbers and ordered categories, the second for others. Rows limit the number of components too: one that
    holds fewer of them than it has parameters is not chosen.

    >>> x = np.concatenate([np.linspace(-1, 1, 40), np.linspace(9, 11, 40)])[:, None]
    >>> choose_components(x, GaussianMixture(random_state=0), most=3).best.n_components
    2
    """
    check_parameters(
        "choose_components",
        {"most": Whole(1), "criterion": OneOf("bic", "aic")},
        {"most": most, "criterion": criterion},
    )
    source = X if isinstance(X, Table | Scan) else Table(X)
    if model is None:
        plain = all(c.kind in ("numeric", "ordinal") for c in source.schema if c.name != sample_weight)
        model = GaussianMixture(random_state=0) if plain else MixtureModel(random_state=0)
    if not isinstance(model, Mixture):
        raise ParameterError(f"model is a {type(model).__name__}. Expected a GaussianMixture or a MixtureModel.")
    n_rows = source.n_rows
    models, logs, bic, aic, weight = [], [], [], [], 0.0
    for k in range(1, most + 1 if n_rows is None else min(most, n_rows) + 1):
        fitted = clone(model).set_params(n_components=k).fit(source, sample_weight=sample_weight)
        total, weight = fitted._log_likelihood(source, sample_weight)
        models.append(fitted)
        logs.append(total)
        bic.append(-2 * total + fitted.n_parameters_ * float(np.log(weight)))
        aic.append(-2 * total + 2 * fitted.n_parameters_)
        report("components", learner=type(model).__name__, iteration=k, total=most, objective=bic[-1])
    return ComponentChoice(tuple(models), tuple(logs), tuple(bic), tuple(aic), criterion, weight)
