"""How many components: a mixture for each number, compared by an information criterion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.cluster.mixture.base import Mixture
from learnt.cluster.mixture.gaussian_mixture import GaussianMixture
from learnt.cluster.mixture.mixture_model import MixtureModel
from learnt.data.files.scan import Scan
from learnt.data.table import Table
from learnt.errors import ParameterError
from learnt.learner.parameters import OneOf, Whole, check_parameters
from learnt.learner.settings import clone
from learnt.show.numbers import number
from learnt.show.text_table import aligned
from learnt.watch import report


@dataclass(frozen=True)
class ComponentChoice:
    """Mixtures of 1, 2, … components with their criteria; `best` is that of the lowest `criterion`."""

    models: tuple[Any, ...]
    log_likelihood: tuple[float, ...]
    bic: tuple[float, ...]
    aic: tuple[float, ...]
    criterion: str

    @property
    def n_components(self) -> tuple[int, ...]:
        return tuple(int(model.n_components) for model in self.models)

    @property
    def values(self) -> tuple[float, ...]:
        """The criterion chosen by."""
        return self.bic if self.criterion == "bic" else self.aic

    @property
    def best(self) -> Any:
        """The fitted mixture of the lowest criterion; of equal ones that of fewer components."""
        return self.models[int(np.argmin(self.values))]

    def __str__(self) -> str:
        rows = [["components", "parameters", "log-likelihood", "BIC", "AIC", ""]]
        for i, model in enumerate(self.models):
            mark = f"← lowest {self.criterion.upper()}" if model is self.best else ""
            facts = (self.log_likelihood[i], self.bic[i], self.aic[i])
            rows.append([str(model.n_components), str(model.n_parameters_), *map(number, facts), mark])
        return aligned(rows, left={5})

    def plot(self, ax: Any = None) -> Any:
        """Draw both criteria against the number of components; returns the matplotlib axes."""
        from learnt.plot.mixtures import plot_component_choice

        return plot_component_choice(self, ax)


def choose_components(
    X: Any, model: Any = None, *, most: int = 10, criterion: str = "bic", sample_weight: Any = None
) -> ComponentChoice:
    """Fit mixtures of 1 to `most` components and compare them.

    `model` is an unfitted `GaussianMixture` or `MixtureModel` whose other settings are used; by default the first for
    tables of numbers and ordered categories, the second for others. Rows limit the number of components too.

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
    models, logs, bic, aic = [], [], [], []
    for k in range(1, most + 1 if n_rows is None else min(most, n_rows) + 1):
        fitted = clone(model).set_params(n_components=k).fit(source, sample_weight=sample_weight)
        total, weight = fitted._log_likelihood(source, sample_weight)
        models.append(fitted)
        logs.append(total)
        bic.append(-2 * total + fitted.n_parameters_ * float(np.log(weight)))
        aic.append(-2 * total + 2 * fitted.n_parameters_)
        report("components", learner=type(model).__name__, iteration=k, total=most, objective=bic[-1])
    return ComponentChoice(tuple(models), tuple(logs), tuple(bic), tuple(aic), criterion)
