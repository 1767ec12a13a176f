"""What all conjugate pairs have in common: updating, showing themselves, and saying when they cannot answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from typing import Any, ClassVar, NoReturn, Self

import numpy as np

from learnt.engine.passes import Statistic
from learnt.errors import InputError, ParameterError
from learnt.learner.parameters import Real
from learnt.show.html import preformatted
from learnt.show.words import count_of, spell


class ConjugatePair(ABC):
    """A likelihood with its conjugate prior, and the sufficient statistics of what has been observed.

    Such an object never changes. Missing observations (None, NaN) are left out and counted; a weight of w
    counts like w equal observations.
    """

    about: ClassVar[str]
    _prior: dict[str, Any]
    statistics: Any

    def __init__(self, prior: dict[str, Any], statistics: Statistic | None, empty: Statistic):
        """The checked settings of the prior; what was observed, which `update` gives; the statistics of nothing."""
        given: Any = empty if statistics is None else statistics
        if type(given) is not type(empty) or given._shape() != empty._shape():
            raise ParameterError(
                f"{type(self).__name__}: statistics={spell(given)} do not fit. Expected {type(empty).__name__} "
                f"of shape {empty._shape()}. Take those of another {type(self).__name__}."
            )
        vars(self).update(_prior=prior, _empty=empty, statistics=given)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"A {type(self).__name__} never changes. Make another, or take what update() returns.")

    def update(self, data: Any, weights: Any = None) -> Self:
        """The pair after these observations too; the object itself stays as it is."""
        return self._with(statistics=self.statistics + self._observe(data, weights))

    @property
    def prior_parameters(self) -> dict[str, Any]:
        """The settings the object was made with."""
        return dict(self._prior)

    @property
    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """The parameters of the posterior, by the names of the settings: what a new prior can be made with."""

    @property
    def posterior(self) -> Any:
        """The distribution of the unknown parameters, given everything observed so far."""
        self._check_proper()
        return self._distribution()

    def _check_proper(self) -> None:
        reason = self._improper()
        if reason:
            raise InputError(
                f"The posterior of {self!r} is not a distribution: {reason}. "
                "Update it with more observations, or start from a prior that is one."
            )

    @property
    def prior(self) -> Any:
        """The distribution of the unknown parameters before anything was observed."""
        return self._unseen().posterior

    @abstractmethod
    def mean(self) -> Any:
        """The mean of the posterior."""

    @abstractmethod
    def map(self) -> Any:
        """The parameters of highest posterior density (maximum a posteriori)."""

    @abstractmethod
    def predictive(self) -> Any:
        """The distribution of the next observation, with the parameters integrated out."""

    @abstractmethod
    def credible_interval(self, level: float = 0.95) -> Any:
        """Where a parameter lies with probability `level`, the rest shared equally by both sides."""

    def log_marginal_likelihood(self) -> float:
        """ln p(data), the natural log of the prior's prediction of all observations, in the order they came.

        Differences between two priors or models are log Bayes factors.
        """
        reason = self._unseen()._improper()
        if reason:
            raise InputError(
                f"The prior of {self!r} is not a distribution: {reason}. It predicts no data, so that there is no "
                "marginal likelihood. Start from a prior that is one."
            )
        return float(self._log_evidence())

    @abstractmethod
    def plot(self, ax: Any = None) -> Any:
        """Draw prior and posterior; returns the matplotlib axes."""

    # Hooks.

    @abstractmethod
    def _observe(self, data: Any, weights: Any) -> Any:
        """The sufficient statistics of some observations."""

    @abstractmethod
    def _improper(self) -> str:
        """Why the posterior cannot be normalised; empty if it can."""

    @abstractmethod
    def _distribution(self) -> Any: ...

    @abstractmethod
    def _log_evidence(self) -> float: ...

    @abstractmethod
    def _words(self) -> dict[str, str]:
        """The lines that are always printed: `prior`, `data`, `posterior`."""

    @abstractmethod
    def _answers(self) -> dict[str, str]:
        """The lines printed below a proper posterior."""

    def _settings(self) -> str:
        """The prior as the constructor was called."""
        return ", ".join(f"{name}={setting_text(value)}" for name, value in self._prior.items())

    def _with(self, **changes: Any) -> Self:
        twin = copy(self)
        vars(twin).update(changes)
        return twin

    def _unseen(self) -> Self:
        return self._with(statistics=vars(self)["_empty"])

    # How it shows itself.

    def __repr__(self) -> str:
        seen = self.statistics
        after = f" after {count_of(seen.rows - seen.missing, 'observation')}" if seen else ""
        return f"{type(self).__name__}({self._settings()}){after}"

    def __str__(self) -> str:
        reason = self._improper()
        lines = self._words() | ({"": f"not a distribution: {reason}"} if reason else self._answers())
        return "\n".join(
            [f"{type(self).__name__}: {self.about}", *(f"  {name:<9}  {line}" for name, line in lines.items())]
        )

    def _repr_html_(self) -> str:
        return preformatted(self)


def checked_level(level: Any) -> float:
    if level not in Real(above=0, below=1):
        raise ParameterError(
            f"level={spell(level)} is not allowed. Expected a number above 0 and below 1, such as 0.95."
        )
    return float(level)


def setting_text(value: Any) -> str:
    """A setting as Python would take it: whole numbers without a point, long arrays cut."""
    if isinstance(value, np.ndarray):
        entries = [setting_text(entry) for entry in value[:4].tolist()] + ["…"] * (len(value) > 4)
        return f"[{', '.join(entries)}]"
    if isinstance(value, list):
        return setting_text(np.array(value))
    return f"{value:g}" if isinstance(value, float) else repr(value)
