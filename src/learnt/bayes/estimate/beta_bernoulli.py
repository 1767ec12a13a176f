"""The probability of a success, from successes and failures."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.bayes.estimate.conjugate import ConjugatePair, checked_level
from learnt.bayes.estimate.observations import count_successes
from learnt.bayes.estimate.proportions import has_mode, log_beta, mean_of_proportions, mode_of_proportions
from learnt.bayes.estimate.settings import checked_number
from learnt.bayes.estimate.statistics import Counts
from learnt.bayes.estimate.words import interval, sample
from learnt.data.table import Array
from learnt.errors import ParameterError
from learnt.learner.parameters import Real, Whole, check_parameters
from learnt.show.numbers import number
from learnt.show.words import label, plural, spell


class BetaBernoulli(ConjugatePair):
    """The probability θ of a success, with a Beta prior.

        θ ~ Beta(α, β),  x ~ Bernoulli(θ)   ⇒   θ | h successes, t failures ~ Beta(α + h, β + t)

    >>> mail = BetaBernoulli(success="spam").update(["ham"] + ["spam"] * 9)
    >>> mail.map()
    0.9
    >>> round(float(mail.posterior.cdf(0.5)), 4)           # how probable is it that θ < ½?
    0.0059
    >>> print(mail)
    BetaBernoulli: the probability θ of a success
      prior      θ ~ Beta(1, 1)
      data       10 observations: 9 successes ('spam'), 1 failure
      posterior  θ ~ Beta(10, 2)
      mean       0.8333
      MAP        0.9
      95 %       0.5872 … 0.9772
      next       a success with probability 0.8333

    | setting | default | meaning | range |
    |---|---|---|---|
    | `alpha` | 1 | successes imagined beforehand, plus 1 for a flat prior | ≥ 0 |
    | `beta` | 1 | the same for failures | ≥ 0 |
    | `success` | `True` | the value that counts as a success; any other is a failure | |
    | `statistics` | none | `Counts` of successes and failures so far; `update` sets them | |

    By default data are booleans, or the numbers 0 and 1. With α = β = 0, which is not a distribution, the mean
    is the maximum likelihood h/(h+t); with α = β = 1 the mode is.

    Reference: Gelman et al., Bayesian Data Analysis, 3rd ed., 2.1.
    """

    about = "the probability θ of a success"

    def __init__(self, alpha: float = 1.0, beta: float = 1.0, *, success: Any = True, statistics: Counts | None = None):
        prior: dict[str, Any] = {
            name: checked_number("BetaBernoulli", name, value, Real(0))
            for name, value in {"alpha": alpha, "beta": beta}.items()
        }
        if not isinstance(success, bool | np.bool_ | str | int | float | np.number):
            raise ParameterError(
                f"BetaBernoulli: success={spell(success)} is not allowed. Expected a truth, a label or a number."
            )
        super().__init__(prior | {"success": success}, statistics, Counts(0, np.zeros(2)))

    @property
    def parameters(self) -> dict[str, Any]:
        a, b = self._alphas.tolist()
        return {"alpha": a, "beta": b, "success": self._prior["success"]}

    @property
    def _alphas(self) -> Array:
        alphas: Array = self._prior_alphas + self.statistics.weight
        return alphas

    @property
    def _prior_alphas(self) -> Array:
        return np.array([self._prior["alpha"], self._prior["beta"]])

    def mean(self) -> float:
        """E[θ] = (α + h)/(α + β + h + t)."""
        return float(mean_of_proportions(self._alphas)[0])

    def map(self) -> float:
        """The most probable θ, (α + h − 1)/(α + β + h + t − 2) inside; an end where α + h or β + t is below 1."""
        return float(mode_of_proportions(self._alphas)[0])

    def predictive(self, n: int = 1) -> Any:
        """The next observation, `scipy.stats.bernoulli`; of the next n the successes, `betabinom`."""
        from scipy import stats

        check_parameters("BetaBernoulli.predictive", {"n": Whole(1)}, {"n": n})
        return stats.bernoulli(self.mean()) if n == 1 else stats.betabinom(n, *self.posterior.args)

    def credible_interval(self, level: float = 0.95) -> tuple[float, float]:
        """(low, high): θ lies between with probability `level`, and on either side equally probably."""
        low, high = self.posterior.interval(checked_level(level))
        return float(low), float(high)

    def plot(self, ax: Any = None) -> Any:
        """The densities of θ before and after the data; returns the matplotlib axes."""
        from learnt.bayes.estimate.pictures import draw_densities

        return draw_densities(self, "θ, the probability of a success", ax, within=(0.0, 1.0))

    def _observe(self, data: Any, weights: Any) -> Counts:
        return count_successes(data, self._prior["success"], weights)

    def _improper(self) -> str:
        a, b = self._alphas
        return "" if a > 0 and b > 0 else f"Beta({number(a)}, {number(b)}) has infinite mass at an end"

    def _distribution(self) -> Any:
        from scipy import stats

        return stats.beta(*self._alphas.tolist())

    def _log_evidence(self) -> float:
        return log_beta(self._alphas) - log_beta(self._prior_alphas)

    def _words(self) -> dict[str, str]:
        hits, misses = self.statistics.weight.tolist()
        success = self._prior["success"]
        named = "" if success is True else f" ({label(success)})"
        return {
            "prior": f"θ ~ Beta({', '.join(map(number, self._prior_alphas))})",
            "data": f"{sample(self.statistics, self.statistics.total)}: {number(hits)} {plural(hits, 'success')}"
            f"{named}, {number(misses)} {plural(misses, 'failure')}",
            "posterior": f"θ ~ Beta({', '.join(map(number, self._alphas))})",
        }

    def _answers(self) -> dict[str, str]:
        return {
            "mean": number(self.mean()),
            "MAP": number(self.map()) if has_mode(self._alphas) else "no single value",
            "95 %": interval(self.credible_interval()),
            "next": f"a success with probability {number(self.mean())}",
        }
