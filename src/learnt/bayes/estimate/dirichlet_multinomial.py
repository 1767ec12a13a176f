"""The probabilities of several labels, from how often each was seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from learnt.bayes.estimate.conjugate import ConjugatePair, checked_level
from learnt.bayes.estimate.observations import count_labels
from learnt.bayes.estimate.proportions import has_mode, log_beta, mean_of_proportions, mode_of_proportions
from learnt.bayes.estimate.settings import checked_vector
from learnt.bayes.estimate.statistics import Counts
from learnt.bayes.estimate.words import interval, sample, vector
from learnt.data.table import Array
from learnt.errors import ParameterError
from learnt.learner.parameters import Whole, check_parameters
from learnt.show.numbers import number
from learnt.show.words import label, plain, shorten_text

MOST_LINES = 12  # labels printed one by one


class DirichletMultinomial(ConjugatePair):
    """The probabilities θ of r labels, with a Dirichlet prior.

        θ ~ Dir(α₁ … α_r),  P(x = k) = θ_k   ⇒   θ | counts N ~ Dir(α₁ + N₁ … α_r + N_r)

    >>> sky = DirichletMultinomial({"rain": 1, "snow": 1, "sun": 1}).update(["sun", "rain", "sun"])
    >>> sky.mean()
    array([0.33333333, 0.16666667, 0.5       ])
    >>> sky.predictive().pmf([0, 0, 1])                    # that the next day is sunny
    np.float64(0.5)

    | setting | meaning | range |
    |---|---|---|
    | `alpha` | an imagined count per label: a dict, a list, or one number for all `categories` | ≥ 0 |
    | `categories` | the labels, at least two; a dict brings its own, a list without has 0, 1, 2 … | |
    | `statistics` | `Counts` of the labels so far; `update` sets them | |

    Everything comes in the order of `categories`. With α = 0, which is not a distribution, the mean is the
    maximum likelihood N_k/N; with α = 1 the mode is.

    Reference: Gelman et al., Bayesian Data Analysis, 3rd ed., 3.4.
    """

    about = "the probabilities θ of several labels"

    def __init__(self, alpha: Any, categories: Iterable[Any] = (), *, statistics: Counts | None = None):
        if isinstance(alpha, Mapping):
            if categories:
                raise self._wrong("categories", categories, "none, since the keys of alpha name them")
            alpha, categories = list(alpha.values()), tuple(alpha)
        if isinstance(categories, str) or not isinstance(categories, Iterable):
            raise self._wrong("categories", categories, "a list of labels")
        labels = tuple(plain(name) for name in categories)
        if not all(isinstance(name, str | int | float) and name == name for name in labels):
            raise self._wrong("categories", labels, "labels of text, numbers or booleans, none of them missing")
        if np.isscalar(alpha):
            if not labels:
                raise self._wrong("alpha", alpha, "a dict of labels, a list, or one number together with categories=")
            alpha = [alpha] * len(labels)
        imagined = checked_vector("DirichletMultinomial", "alpha", alpha, "finite numbers, one per label")
        labels = labels or tuple(range(len(imagined)))
        if (imagined < 0).any():
            raise self._wrong("alpha", alpha, "numbers that are not negative")
        if len(imagined) < 2 or len(imagined) != len(labels) or len(set(labels)) != len(labels):
            raise self._wrong("categories", labels, f"{max(2, len(imagined))} different labels, one per alpha")
        prior = {"alpha": imagined, "categories": labels}
        super().__init__(prior, statistics, Counts(0, np.zeros(len(imagined))))

    @staticmethod
    def _wrong(name: str, value: Any, expected: str) -> ParameterError:
        shown = shorten_text(repr(value), 60)
        return ParameterError(f"DirichletMultinomial: {name}={shown} is not allowed. Expected {expected}.")

    @property
    def categories(self) -> tuple[Any, ...]:
        """The labels, in the order of everything that comes per label."""
        categories: tuple[Any, ...] = self._prior["categories"]
        return categories

    @property
    def parameters(self) -> dict[str, Any]:
        return {"alpha": self._alphas, "categories": self.categories}

    @property
    def _alphas(self) -> Array:
        alphas: Array = self._prior["alpha"] + self.statistics.weight
        return alphas

    def mean(self) -> Array:
        """E[θ_k] = (α_k + N_k)/Σ(α + N)."""
        return mean_of_proportions(self._alphas)

    def map(self) -> Array:
        """The most probable θ, (α_k + N_k − 1)/Σ(α + N − 1) inside; 0 for labels with α_k + N_k below 1."""
        return mode_of_proportions(self._alphas)

    def predictive(self, n: int = 1) -> Any:
        """Which label is next, `scipy.stats.multinomial` of one draw; the counts of n, `dirichlet_multinomial`."""
        from scipy import stats

        check_parameters("DirichletMultinomial.predictive", {"n": Whole(1)}, {"n": n})
        if n == 1:
            return stats.multinomial(1, self.mean())
        return stats.dirichlet_multinomial(self.posterior.alpha, np.asarray(n))

    def credible_interval(self, level: float = 0.95) -> Array:
        """Low and high end for every θ_k by itself, a row per label."""
        from scipy import stats

        alphas = self.posterior.alpha
        return np.column_stack(stats.beta(alphas, alphas.sum() - alphas).interval(checked_level(level)))

    def plot(self, ax: Any = None) -> Any:
        """Every probability with its 95 % interval, before and after the data; returns the matplotlib axes."""
        from learnt.bayes.estimate.pictures import draw_intervals

        return draw_intervals(self, [label(name) for name in self.categories], "probability", ax)

    def _observe(self, data: Any, weights: Any) -> Counts:
        return count_labels(data, self.categories, weights)

    def _improper(self) -> str:
        empty = np.flatnonzero(self._alphas == 0)
        return f"alpha is 0 for {label(self.categories[empty[0]])}, which was never seen" if len(empty) else ""

    def _distribution(self) -> Any:
        from scipy import stats

        return stats.dirichlet(self._alphas)

    def _log_evidence(self) -> float:
        return log_beta(self._alphas) - log_beta(self._prior["alpha"])

    def _settings(self) -> str:
        shown = [f"{name!r}: {a:g}" for name, a in zip(self.categories, self._prior["alpha"].tolist(), strict=True)]
        return "{" + ", ".join(shown[:6]) + (", …}" if len(shown) > 6 else "}")

    def _words(self) -> dict[str, str]:
        return {
            "prior": f"θ ~ Dirichlet{vector(self._prior['alpha'])}",
            "data": f"{sample(self.statistics, self.statistics.total)}, counted below",
            "posterior": f"θ ~ Dirichlet{vector(self._alphas)}",
        }

    def _answers(self) -> dict[str, str]:
        names = [shorten_text(label(name), 24) for name in self.categories]
        modes = map(number, self.map()) if has_mode(self._alphas) else ["–"] * len(names)
        cells = zip(self.statistics.weight, self.mean(), modes, self.credible_interval(), strict=True)
        lines = [f"{number(c):>8}  {number(m):>8}  {mode:>8}  {interval(ends)}" for c, m, mode, ends in cells]
        width = max(map(len, names[:MOST_LINES]))
        shown = [f"{name:<{width}}  {line}" for name, line in zip(names, lines, strict=True)]
        shown.insert(0, f"{'':<{width}}  {'count':>8}  {'mean':>8}  {'MAP':>8}  95 %")
        if len(names) > MOST_LINES:
            shown[MOST_LINES + 1 :] = [f"and {len(names) - MOST_LINES} more"]
        return {"labels": ("\n" + " " * 13).join(shown)}
